#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/checked_keys.h"
#include "base/traffic_counters.h"

namespace pacbench::cluster {

/// The messages between the hub and a node, each as {"type": NAME, …} (cluster/connection.h):
///
///   node: join ────────► hub: welcome, or refused
///   hub: make ─────────► node: made, or not_made   (links with declared rates)
///   hub: unmake ───────► node: unmade
///   hub: rendezvous ───► node: listening   (of rank 0)
///   hub: spawn ────────► node: spawned, or not_spawned
///   hub: input         (bytes for the program; empty: no more will come)
///                        node: output      (bytes; empty: the program has closed that descriptor)
///                        node: exited
///   hub: signal
///   hub: counters ─────► node: counted
///                        node: leaving     (ends, with the reason; the connection ends next)
inline constexpr int kVersion = 3;

/// The environment variable with the secret that all nodes of a run share.
inline constexpr const char* kTokenVariable = "PACBENCH_CLUSTER_TOKEN";

struct Join {
  static constexpr const char* kType = "join";
  int version = kVersion;
  std::string token;
  int rank = 0;
  std::string host;             ///< the host's name
  std::string interface;        ///< the interface that exchanges cross
  std::string address;          ///< IPv4 of that interface
  std::string control_address;  ///< IPv4 from which the node reaches the hub
  bool real_time_allowed = false;
};

/// Starts a program. Its descriptor i is a pipe. Letter i of `descriptors` says whether the program
/// reads the pipe ('r') or writes it ('w').
struct Spawn {
  static constexpr const char* kType = "spawn";
  int program = 0;  ///< the number that the hub gave the program
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::string descriptors;
};

/// Bytes for a program's descriptor (kInput), or from it (kOutput). No bytes: no more will come.
struct Bytes {
  int program = 0;
  int descriptor = 0;
  std::string bytes;
};

struct Exited {
  static constexpr const char* kType = "exited";
  int program = 0;
  int code = 0;
  int signal = 0;
};

struct Signal {
  static constexpr const char* kType = "signal";
  int program = 0;
  int signal = 0;
};

/// The kernel's counters on the node's host, or of the links that the node has made. They began
/// before the node joined, or when the links were made.
struct Counted {
  static constexpr const char* kType = "counted";
  Traffic sent;      ///< over the interface that exchanges cross
  Traffic received;  ///< over the same interface
  std::int64_t retransmitted_segments = 0;
  std::int64_t control_bytes = 0;   ///< sent by the control interface; 0 if exchanges cross it too
  std::int64_t loopback_bytes = 0;  ///< of made links' namespace; 0 on the host's own interface
  std::vector<std::string> deviations = {};  ///< where made links are not as they were set up
};

// The types of messages that hold nothing else.
inline constexpr const char* kWelcome = "welcome";
inline constexpr const char* kRendezvous = "rendezvous";
inline constexpr const char* kCounters = "counters";
inline constexpr const char* kUnmake = "unmake";
inline constexpr const char* kUnmade = "unmade";

// The types of messages that hold a text "reason"; kNotSpawned also has the "program".
inline constexpr const char* kRefused = "refused";
inline constexpr const char* kNotMade = "not_made";
inline constexpr const char* kLeaving = "leaving";
inline constexpr const char* kNotSpawned = "not_spawned";

inline constexpr const char* kSpawned = "spawned";  ///< has the "program" and its "pid"

/// Makes shaped links for the node's rank: "fabric" is a netd::CreateRequest with an uplink. From
/// then on the rank's programs run inside them, until kUnmake. The node fills in the names of its
/// interfaces. It answers with the daemon's netd::CreatedReply as "created".
inline constexpr const char* kMake = "make";
inline constexpr const char* kMade = "made";
inline constexpr const char* kListening = "listening";  ///< has the "port"

// The types of messages that carry Bytes.
inline constexpr const char* kInput = "input";
inline constexpr const char* kOutput = "output";

/// The type of a message; empty when it has none.
inline std::string type_of(const Json& message) {
  const auto found = message.find("type");
  return found != message.end() && found->is_string() ? found->get<std::string>() : "";
}

inline std::string reason_of(const Json& message) {
  return message.at("reason").get<std::string>();
}

inline Json message(const char* type) { return {{"type", type}}; }

inline Json message(const char* type, Json content) {
  content["type"] = type;
  return content;
}

template <typename Content>
Json message(const Content& content) {
  return message(Content::kType, content);
}

}  // namespace pacbench::cluster

namespace pacbench {

template <>
struct JsonFields<Traffic> {
  using T = Traffic;
  static constexpr std::tuple kAll{required("bytes", &T::bytes), required("packets", &T::packets),
                                   required("dropped_packets", &T::dropped_packets)};
};

template <>
struct JsonFields<cluster::Join> {
  using T = cluster::Join;
  static constexpr std::tuple kAll{required("version", &T::version),
                                   required("token", &T::token),
                                   required("rank", &T::rank),
                                   required("host", &T::host),
                                   required("interface", &T::interface),
                                   required("address", &T::address),
                                   required("control_address", &T::control_address),
                                   required("real_time_allowed", &T::real_time_allowed)};
};

template <>
struct JsonFields<cluster::Spawn> {
  using T = cluster::Spawn;
  static constexpr std::tuple kAll{required("program", &T::program), required("argv", &T::argv),
                                   required("environment", &T::environment),
                                   required("descriptors", &T::descriptors)};
};

template <>
struct JsonFields<cluster::Bytes> {
  static constexpr std::tuple kAll{required("program", &cluster::Bytes::program),
                                   required("descriptor", &cluster::Bytes::descriptor),
                                   required("bytes", &cluster::Bytes::bytes)};
};

template <>
struct JsonFields<cluster::Exited> {
  using T = cluster::Exited;
  static constexpr std::tuple kAll{required("program", &T::program), required("code", &T::code),
                                   required("signal", &T::signal)};
};

template <>
struct JsonFields<cluster::Signal> {
  using T = cluster::Signal;
  static constexpr std::tuple kAll{required("program", &T::program),
                                   required("signal", &T::signal)};
};

template <>
struct JsonFields<cluster::Counted> {
  using T = cluster::Counted;
  static constexpr std::tuple kAll{required("sent", &T::sent),
                                   required("received", &T::received),
                                   required("retransmitted_segments", &T::retransmitted_segments),
                                   required("control_bytes", &T::control_bytes),
                                   required("loopback_bytes", &T::loopback_bytes),
                                   required("deviations", &T::deviations)};
};

}  // namespace pacbench
