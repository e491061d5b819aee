#pragma once

#include <string>

#include "base/traffic_counters.h"

namespace pacbench {

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

}  // namespace pacbench
