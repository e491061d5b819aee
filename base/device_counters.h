#pragma once

#include <string>

#include "base/traffic_counters.h"

namespace pacbench {

/// The counters of a network device since it was made. A virtual device counts a packet that is cut
/// for the wire later as one, with one header.
struct DeviceTraffic {
  Traffic sent;
  Traffic received;
};

/// The counters of a device of the calling thread's network namespace. Throws std::system_error or
/// std::runtime_error when the kernel does not tell.
DeviceTraffic device_traffic(const std::string& device);

/// The same out of the text of /proc/net/dev, a line for each device.
DeviceTraffic device_traffic(const std::string& device, const std::string& devices);

}  // namespace pacbench
