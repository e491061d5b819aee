#pragma once

#include <cstdint>
#include <string>

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

/// The counters of a network device since it was made. A virtual device counts a large packet as
/// one packet with one header, although the packet is cut into frames later.
struct DeviceTraffic {
  Traffic sent;
  Traffic received;
};

/// The counters of a device in the calling thread's network namespace. Throws std::system_error or
/// std::runtime_error when the kernel does not report them.
DeviceTraffic device_traffic(const std::string& device);

/// The counters of a device, read out of `devices`: the text of /proc/net/dev, which has a line for
/// each device. Throws std::runtime_error when no such line is found or it cannot be read.
DeviceTraffic device_traffic(const std::string& device, const std::string& devices);

/// The number of segments that TCP has sent again in the calling thread's network namespace, since
/// the namespace was made. Throws std::system_error or std::runtime_error when the kernel does not
/// report the number.
std::int64_t retransmitted_segments();

/// Reads that number out of `snmp`: the text of /proc/net/snmp, which has a line of names before
/// each line of values. Throws std::runtime_error when the text lacks the number.
std::int64_t retransmitted_segments(const std::string& snmp);

}  // namespace pacbench
