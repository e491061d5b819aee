#pragma once

#include <cstdint>
#include <string>

namespace pacbench::netem {

/// Bytes that a device of the calling thread's network namespace has sent. Throws std::system_error
/// or std::runtime_error when the kernel does not tell.
std::int64_t sent_bytes(const std::string& device);

/// The same out of the text of /proc/net/dev, a line for each device.
std::int64_t sent_bytes(const std::string& device, const std::string& devices);

}  // namespace pacbench::netem
