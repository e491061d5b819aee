#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_reader.h"

namespace pacbench::netd {

/// The daemon's protocol, over one connected Unix stream socket (base/message_socket.h). One
/// connection is one fabric: it ends, with its workers, when the connection does.
///
///   client: create ─► daemon: created     (or error; once per connection)
///   client: spawn ──► daemon: spawned     (or error; fds travel with the request)
///   client: counters ► daemon: counters
///                     daemon: exited      (at any time, once for each spawned process)
inline constexpr int kVersion = 1;

struct CreateRequest {
  int workers = 0;
  std::string topology = "star";
  double rate_mbit = 0;  ///< as shaped, after rate accounting
  int mtu = 1500;
  std::string congestion_control = "cubic";
};

/// One shaped direction, as read back from the kernel.
struct ShapedLink {
  std::string name;    ///< "worker3.up" (sent by the worker) or "worker3.down"
  std::string device;  ///< "eth0" in the worker's namespace or "port3" in the switch's
  std::int64_t rate_bytes_per_s = 0;
  std::int64_t burst_bytes = 0;
  std::int64_t ceil_burst_bytes = 0;
  std::int64_t quantum_bytes = 0;
  std::int64_t queue_bytes = 0;  ///< limit of the bfifo leaf
};

struct CreatedReply {
  std::string privilege;              ///< "root" or "user namespace"
  std::vector<std::string> commands;  ///< each as one could type it, in order
  std::vector<ShapedLink> links;
  bool real_time_allowed = false;  ///< spawned programs may use a real-time class
};

/// Starts argv[0] as the calling user in a worker's namespace, without any capability. The
/// descriptors that travel with the request become its 0, 1, 2, ...; the daemon adds one more,
/// a socket that can read the counters of the worker's port on the switch.
struct SpawnRequest {
  int slot = 0;
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< NAME=value; nothing else is inherited
};

struct LinkCounters {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t packets = 0;
  std::int64_t dropped_packets = 0;
};

struct CountersReply {
  std::vector<LinkCounters> links;
  std::vector<std::string> deviations;  ///< where the kernel no longer holds what was declared
};

struct ExitedEvent {
  int slot = 0;
  int code = 0;
  int signal = 0;
};

/// Every message is {"type": NAME, …}; these put the type in, the others take it for granted.
Json to_json(const CreateRequest& request);
Json to_json(const CreatedReply& reply);
Json to_json(const SpawnRequest& request);
Json spawned_reply(int slot, int pid);
Json counters_request();
Json to_json(const CountersReply& reply);
Json to_json(const ExitedEvent& event);
Json error_reply(const std::string& message);

/// The type of a message. Throws ProtocolError when it has none.
std::string type_of(const Json& message);

/// Requests come from outside: every key, type and bound is checked; throw ConfigError.
CreateRequest create_request_from_json(const Json& message);
SpawnRequest spawn_request_from_json(const Json& message, int workers);

/// Replies come from our own daemon: throw ProtocolError when they are not what they should be.
CreatedReply created_reply_from_json(const Json& message);
CountersReply counters_reply_from_json(const Json& message);
ExitedEvent exited_event_from_json(const Json& message);

}  // namespace pacbench::netd
