#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/fabric/fabric_spec.h"

namespace pacbench::netem {

/// A setting of a worker's namespace: "net.ipv4.tcp_rmem" and its words.
struct Sysctl {
  std::string name;
  std::string value;
};

/// The most bytes that one connection has in flight when it fills its links: rate times round-trip
/// delay, for the pair of workers where the product is largest. Queueing delay is not included.
std::int64_t bytes_in_flight(const netd::CreateRequest& request);

/// The settings that let TCP fill a link with delay; the kernel's usual limits would hold a long
/// and fast link below its rate. Empty without delay.
std::vector<Sysctl> tcp_buffers(const netd::CreateRequest& request);

/// Sets a setting in the calling thread's network namespace. Throws std::system_error.
void set_sysctl(const Sysctl& sysctl);
/// Returns the setting's present value in that namespace, words separated by spaces. Throws
/// std::system_error.
std::string read_sysctl(const Sysctl& sysctl);

}  // namespace pacbench::netem
