#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_fields.h"
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

struct Refused {
  static constexpr const char* kType = "refused";
  std::string reason;
};

/// Makes shaped links for the node's rank. From then on the rank's programs run inside them, until
/// unmake. The node fills in the names of its interfaces.
struct Make {
  static constexpr const char* kType = "make";
  Json fabric;  ///< a netd::CreateRequest with an uplink, as its JSON
};

struct Made {
  static constexpr const char* kType = "made";
  Json created;  ///< the daemon's netd::CreatedReply, as its JSON
};

struct NotMade {
  static constexpr const char* kType = "not_made";
  std::string reason;
};

struct Listening {
  static constexpr const char* kType = "listening";
  std::uint16_t port = 0;
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

struct Spawned {
  static constexpr const char* kType = "spawned";
  int program = 0;
  int pid = 0;
};

struct NotSpawned {
  static constexpr const char* kType = "not_spawned";
  int program = 0;
  std::string reason;
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

struct Leaving {
  static constexpr const char* kType = "leaving";
  std::string reason;
};

}  // namespace pacbench::cluster

namespace pacbench {

template <>
struct JsonFields<Traffic> {
  using T = Traffic;
  static constexpr std::tuple kAll{JsonField{"bytes", &T::bytes}, JsonField{"packets", &T::packets},
                                   JsonField{"dropped_packets", &T::dropped_packets}};
};

template <>
struct JsonFields<cluster::Join> {
  using T = cluster::Join;
  static constexpr std::tuple kAll{JsonField{"version", &T::version},
                                   JsonField{"token", &T::token},
                                   JsonField{"rank", &T::rank},
                                   JsonField{"host", &T::host},
                                   JsonField{"interface", &T::interface},
                                   JsonField{"address", &T::address},
                                   JsonField{"control_address", &T::control_address},
                                   JsonField{"real_time_allowed", &T::real_time_allowed}};
};

template <>
struct JsonFields<cluster::Refused> {
  static constexpr std::tuple kAll{JsonField{"reason", &cluster::Refused::reason}};
};

template <>
struct JsonFields<cluster::Make> {
  static constexpr std::tuple kAll{JsonField{"fabric", &cluster::Make::fabric}};
};

template <>
struct JsonFields<cluster::Made> {
  static constexpr std::tuple kAll{JsonField{"created", &cluster::Made::created}};
};

template <>
struct JsonFields<cluster::NotMade> {
  static constexpr std::tuple kAll{JsonField{"reason", &cluster::NotMade::reason}};
};

template <>
struct JsonFields<cluster::Listening> {
  static constexpr std::tuple kAll{JsonField{"port", &cluster::Listening::port}};
};

template <>
struct JsonFields<cluster::Spawn> {
  using T = cluster::Spawn;
  static constexpr std::tuple kAll{JsonField{"program", &T::program}, JsonField{"argv", &T::argv},
                                   JsonField{"environment", &T::environment},
                                   JsonField{"descriptors", &T::descriptors}};
};

template <>
struct JsonFields<cluster::Spawned> {
  using T = cluster::Spawned;
  static constexpr std::tuple kAll{JsonField{"program", &T::program}, JsonField{"pid", &T::pid}};
};

template <>
struct JsonFields<cluster::NotSpawned> {
  using T = cluster::NotSpawned;
  static constexpr std::tuple kAll{JsonField{"program", &T::program},
                                   JsonField{"reason", &T::reason}};
};

template <>
struct JsonFields<cluster::Bytes> {
  static constexpr std::tuple kAll{JsonField{"program", &cluster::Bytes::program},
                                   JsonField{"descriptor", &cluster::Bytes::descriptor},
                                   JsonField{"bytes", &cluster::Bytes::bytes}};
};

template <>
struct JsonFields<cluster::Exited> {
  using T = cluster::Exited;
  static constexpr std::tuple kAll{JsonField{"program", &T::program}, JsonField{"code", &T::code},
                                   JsonField{"signal", &T::signal}};
};

template <>
struct JsonFields<cluster::Signal> {
  using T = cluster::Signal;
  static constexpr std::tuple kAll{JsonField{"program", &T::program},
                                   JsonField{"signal", &T::signal}};
};

template <>
struct JsonFields<cluster::Counted> {
  using T = cluster::Counted;
  static constexpr std::tuple kAll{JsonField{"sent", &T::sent},
                                   JsonField{"received", &T::received},
                                   JsonField{"retransmitted_segments", &T::retransmitted_segments},
                                   JsonField{"control_bytes", &T::control_bytes},
                                   JsonField{"loopback_bytes", &T::loopback_bytes},
                                   JsonField{"deviations", &T::deviations}};
};

template <>
struct JsonFields<cluster::Leaving> {
  static constexpr std::tuple kAll{JsonField{"reason", &cluster::Leaving::reason}};
};

}  // namespace pacbench

namespace pacbench::cluster {

// The types of messages that hold nothing else.
inline constexpr const char* kWelcome = "welcome";
inline constexpr const char* kRendezvous = "rendezvous";
inline constexpr const char* kCounters = "counters";
inline constexpr const char* kUnmake = "unmake";
inline constexpr const char* kUnmade = "unmade";

// The types of messages that carry Bytes.
inline constexpr const char* kInput = "input";
inline constexpr const char* kOutput = "output";

inline Json bare(const char* type) { return {{"type", type}}; }

/// The type of a message; empty when it has none.
inline std::string type_of(const Json& message) {
  const auto found = message.find("type");
  return found != message.end() && found->is_string() ? found->get<std::string>() : "";
}

inline Json message(const char* type, const Bytes& bytes) {
  Json document = bytes;
  document["type"] = type;
  return document;
}

template <typename Content>
Json message(const Content& content) {
  Json document = content;
  document["type"] = Content::kType;
  return document;
}

}  // namespace pacbench::cluster
