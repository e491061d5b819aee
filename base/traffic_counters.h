#pragma once

#include <cstdint>

#include "base/route_socket.h"

namespace pacbench {

/// The traffic of one direction of a device, counted since the device or its class was made.
/// TrafficCounters counts frames as they are cut for the wire; DeviceTraffic may count larger
/// packets.
struct Traffic {
  std::int64_t bytes = 0;    ///< of layer 2, headers included
  std::int64_t packets = 0;  ///< frames, or larger packets, that carry these bytes
  std::int64_t dropped_packets = 0;
};

/// Returns what was counted between two readings. The left one is the later one.
inline Traffic operator-(const Traffic& later, const Traffic& earlier) {
  return {later.bytes - earlier.bytes, later.packets - earlier.packets,
          later.dropped_packets - earlier.dropped_packets};
}

/// Reads the counters of the HTB class that shapes a device. A reading takes some ten microseconds
/// and needs no privilege, so it can be made in every iteration.
class TrafficCounters {
 public:
  /// The class through which all traffic of a shaped device passes: 1:1.
  static constexpr std::uint32_t kClass = 0x0001'0001;

  /// A device of the calling thread's network namespace. Throws std::system_error.
  explicit TrafficCounters(int interface_index) : interface_index_{interface_index} {}
  /// A device of the namespace in which `route_socket` was made.
  TrafficCounters(UniqueFd route_socket, int interface_index)
      : socket_{std::move(route_socket)}, interface_index_{interface_index} {}

  /// Throws std::system_error, ENODEV when the device is gone or is not shaped.
  Traffic read();

 private:
  RouteSocket socket_;
  int interface_index_;
};

}  // namespace pacbench
