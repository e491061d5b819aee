#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/checked_keys.h"
#include "contract/fabric/fabric_spec.h"

namespace pacbench::netd {

/// The daemon's protocol, over one connected Unix stream socket (base/json/message_socket.h). Each
/// connection has at most one fabric. The fabric and its workers end when the connection does. The
/// daemon may answer any request with `error` in place of the reply listed here, and goes on.
///
///   client: create ───► daemon: created    (once per connection)
///   client: spawn ────► daemon: spawned    (fds travel with the request)
///   client: schedule ─► daemon: scheduled  (several may run at once)
///   client: counters ─► daemon: counters
///   client: signal ───► daemon: signalled  (a spawned process; one that has ended is no error)
///   client: features ─► daemon: features   (with or without a fabric)
///                       daemon: exited     (at any time, once for each spawned process)
///                       daemon: stepped    (at any time, once for each step of a schedule)
///                       daemon: error      (at any time: why the daemon ends the connection)
inline constexpr int kVersion = 6;

/// The settings of one shaped direction, as read back from the kernel.
struct ShapedLink {
  std::string name;    ///< such as "worker3.up", see fabric_spec.h
  std::string device;  ///< "eth0" in the worker's namespace; "port3" or "trunk0a" in the switches'
  std::int64_t rate_bytes_per_s = 0;
  std::int64_t burst_bytes = 0;
  std::int64_t ceil_burst_bytes = 0;
  std::int64_t quantum_bytes = 0;
  std::int64_t queue_bytes = 0;  ///< limit of the bfifo leaf
  /// netem's settings at the receiving end; all zero without netem.
  Impairment impairment;
  std::int64_t netem_limit_packets = 0;
};

/// A host of a cluster, on which one rank runs.
struct ClusterNode {
  std::string host;             ///< the host's name
  std::string interface;        ///< the device that exchanges cross
  std::string address;          ///< IPv4 of that device
  std::string control_address;  ///< IPv4 on the control network
};

struct CreatedReply {
  static constexpr const char* kType = "created";
  std::string privilege;              ///< "root", "user namespace", "service" or "cluster"
  std::vector<std::string> commands;  ///< that made the links, as one could type them, in order
  std::vector<ShapedLink> links;
  bool real_time_allowed = false;  ///< spawned programs may use a real-time class
  /// The hosts of the workers, by rank, where these are hosts of a cluster. Empty where the daemon
  /// has made namespaces for the workers.
  std::vector<ClusterNode> nodes = {};
  /// The rendezvous of a cluster's workers: "ADDRESS:PORT" of rank 0 on the control network. A
  /// socket listens there. The programs of rank 0 get this socket as the first descriptor after
  /// those of the request. Empty where the daemon has made namespaces.
  std::string rendezvous = {};
};

/// Starts argv[0] as the calling user, without any capability, in the namespace of the worker
/// `slot`. The descriptors that travel with the request become the program's 0, 1, 2, ... The
/// daemon adds one more: a socket that can read the counters of the worker's port on the switch. A
/// slot may run several programs at once. On a cluster the program runs on the worker's host; where
/// pacbench-cluster has made links on that host, it runs inside them. In both cases it gets no
/// socket for counters.
struct SpawnRequest {
  static constexpr const char* kType = "spawn";
  int slot = 0;
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< NAME=value; nothing else is inherited
  /// When true, the last descriptor of the request is not for the program: it is the mount
  /// namespace in which the program runs. A caller passes its own namespace to a shared daemon,
  /// because a shared daemon sees only some of the files. A cluster ignores this descriptor.
  bool in_mount_namespace = false;
  /// When true, the program has a PID namespace, an IPC namespace and a /dev/shm of its own, so
  /// that it reaches programs of other slots only over the network. What it has started ends with
  /// it. Programs of the user's own are started so; pacbench's workers share memory on purpose. A
  /// cluster, which makes no namespaces of this kind, starts the program without them.
  bool apart = false;
};

struct SpawnedReply {
  static constexpr const char* kType = "spawned";
  int process = 0;  ///< its number on this connection, 0, 1, 2, ...
  int pid = 0;
  /// What the kernel refused of the namespaces that `apart` asked for, with its reasons; empty
  /// where it refused nothing.
  std::string not_apart = {};
};

/// Sends a signal to a process that was spawned on this connection.
struct SignalRequest {
  static constexpr const char* kType = "signal";
  int process = 0;  ///< its number in SpawnedReply
  int signal = 0;
};

/// Changes the rate of some directions at given times after the request's arrival. HTB's class is
/// changed and never replaced, so that tokens and queued packets stay.
struct ScheduleRequest {
  struct Step {
    std::int64_t at_ms = 0;  ///< ascending
    double rate_mbit = 0;
  };
  std::vector<std::string> directions;
  std::vector<Step> steps;
  std::int64_t repeat_ms = 0;  ///< time after which the steps begin again; 0: the last one stays
};

struct ScheduledReply {
  static constexpr const char* kType = "scheduled";
  int schedule = 0;           ///< its number on this connection, 0, 1, 2, ...
  std::int64_t start_ns = 0;  ///< CLOCK_MONOTONIC; what at_ms counts from
};

/// A step that all directions of a schedule have taken.
struct SteppedEvent {
  static constexpr const char* kType = "stepped";
  int schedule = 0;
  std::int64_t due_ns = 0;      ///< CLOCK_MONOTONIC
  std::int64_t applied_ns = 0;  ///< when the kernel had acknowledged the last direction
  double rate_mbit = 0;
};

struct LinkCounters {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t packets = 0;
  std::int64_t dropped_packets = 0;
};

struct CountersReply {
  static constexpr const char* kType = "counters";
  std::vector<LinkCounters> links;
  std::vector<std::int64_t> retransmitted_segments;  ///< by TCP in each worker's namespace
  std::vector<std::string> deviations;  ///< where the kernel no longer holds what was declared
  /// Bytes sent by each worker over the control network; empty where there is no such network.
  std::vector<std::int64_t> control_bytes = {};
  /// Bytes that programs of each worker sent to each other over its loopback device; empty over the
  /// hosts' own interfaces, and in runs of an earlier pacbench.
  std::vector<std::int64_t> loopback_bytes = {};
};

struct ExitedEvent {
  static constexpr const char* kType = "exited";
  int process = 0;
  int slot = 0;
  int code = 0;
  int signal = 0;
};

/// One of the kernel's features that links need, or a congestion control. The daemon has tried it
/// in a namespace of its own, unless the daemon can make no namespaces.
struct Feature {
  std::string name;  ///< "htb", "netem", "cubic", ...
  bool ok = false;
  std::string reason;  ///< when `ok` is false: words of the kernel, `ip` or `tc`, or of the daemon
};

struct FeaturesReply {
  static constexpr const char* kType = "features";
  std::vector<Feature> features;
};

}  // namespace pacbench::netd

namespace pacbench {

template <>
struct JsonFields<netd::ShapedLink> {
  using T = netd::ShapedLink;
  static constexpr std::tuple kAll{required("name", &T::name),
                                   required("device", &T::device),
                                   required("rate_bytes_per_s", &T::rate_bytes_per_s),
                                   required("burst_bytes", &T::burst_bytes),
                                   required("ceil_burst_bytes", &T::ceil_burst_bytes),
                                   required("quantum_bytes", &T::quantum_bytes),
                                   required("queue_bytes", &T::queue_bytes),
                                   required("impairment", &T::impairment),
                                   required("netem_limit_packets", &T::netem_limit_packets)};
};

template <>
struct JsonFields<netd::ClusterNode> {
  using T = netd::ClusterNode;
  static constexpr std::tuple kAll{required("host", &T::host), required("interface", &T::interface),
                                   required("address", &T::address),
                                   required("control_address", &T::control_address)};
};

template <>
struct JsonFields<netd::CreatedReply> {
  using T = netd::CreatedReply;
  static constexpr std::tuple kAll{
      required("privilege", &T::privilege), required("commands", &T::commands),
      required("links", &T::links),         required("real_time_allowed", &T::real_time_allowed),
      sparse("nodes", &T::nodes),           sparse("rendezvous", &T::rendezvous)};
};

template <>
struct JsonFields<netd::SpawnRequest> {
  using T = netd::SpawnRequest;
  static constexpr std::tuple kAll{required("slot", &T::slot), required("argv", &T::argv),
                                   required("environment", &T::environment),
                                   required("in_mount_namespace", &T::in_mount_namespace),
                                   required("apart", &T::apart)};
};

template <>
struct JsonFields<netd::SpawnedReply> {
  using T = netd::SpawnedReply;
  static constexpr std::tuple kAll{required("process", &T::process), required("pid", &T::pid),
                                   required("not_apart", &T::not_apart)};
};

template <>
struct JsonFields<netd::ScheduledReply> {
  using T = netd::ScheduledReply;
  static constexpr std::tuple kAll{required("schedule", &T::schedule),
                                   required("start_ns", &T::start_ns)};
};

template <>
struct JsonFields<netd::SteppedEvent> {
  using T = netd::SteppedEvent;
  static constexpr std::tuple kAll{
      required("schedule", &T::schedule), required("due_ns", &T::due_ns),
      required("applied_ns", &T::applied_ns), required("rate_mbit", &T::rate_mbit)};
};

template <>
struct JsonFields<netd::LinkCounters> {
  using T = netd::LinkCounters;
  static constexpr std::tuple kAll{required("name", &T::name), required("bytes", &T::bytes),
                                   required("packets", &T::packets),
                                   required("dropped_packets", &T::dropped_packets)};
};

template <>
struct JsonFields<netd::CountersReply> {
  using T = netd::CountersReply;
  static constexpr std::tuple kAll{
      required("links", &T::links), required("retransmitted_segments", &T::retransmitted_segments),
      sparse("control_bytes", &T::control_bytes), sparse("loopback_bytes", &T::loopback_bytes),
      required("deviations", &T::deviations)};
};

template <>
struct JsonFields<netd::ExitedEvent> {
  using T = netd::ExitedEvent;
  static constexpr std::tuple kAll{required("process", &T::process), required("slot", &T::slot),
                                   required("code", &T::code), required("signal", &T::signal)};
};

template <>
struct JsonFields<netd::Feature> {
  using T = netd::Feature;
  static constexpr std::tuple kAll{required("name", &T::name), required("ok", &T::ok),
                                   required("reason", &T::reason)};
};

template <>
struct JsonFields<netd::FeaturesReply> {
  static constexpr std::tuple kAll{required("features", &netd::FeaturesReply::features)};
};

template <>
struct JsonFields<netd::SignalRequest> {
  using T = netd::SignalRequest;
  static constexpr std::tuple kAll{required("process", &T::process, Range{0.0, 1e9}),
                                   required("signal", &T::signal, Range{1.0, 64.0})};
};

}  // namespace pacbench

namespace pacbench::netd {

/// Every message is {"type": NAME, …}. These functions write the type; the readers below do not
/// check it.
template <typename Message>
requires requires { Message::kType; }
Json to_json(const Message& message) {
  Json node = message;
  node["type"] = Message::kType;
  return node;
}
Json to_json(const CreateRequest& request);
Json to_json(const ScheduleRequest& request);
Json counters_request();
Json signalled_reply();
Json features_request();
Json error_reply(const std::string& message);

/// The type of a message. Throws ProtocolError when it has none.
std::string type_of(const Json& message);

/// These functions read requests, which come from outside. They check every key, type and bound,
/// and throw ConfigError.
CreateRequest create_request_from_json(const Json& message);
SpawnRequest spawn_request_from_json(const Json& message, int workers);
SignalRequest signal_request_from_json(const Json& message);
ScheduleRequest schedule_request_from_json(const Json& message,
                                           const std::vector<std::string>& directions);

/// Reads a reply or an event, which comes from our own daemon. Throws ProtocolError for a malformed
/// message.
template <typename Message>
Message message_from_json(const Json& message) {
  try {
    return message.get<Message>();
  } catch (const Json::exception& error) {
    throw ProtocolError{
        fmt::format("found a {} message that cannot be read: {}", Message::kType, error.what())};
  }
}

}  // namespace pacbench::netd
