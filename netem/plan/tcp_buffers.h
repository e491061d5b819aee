#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/fabric/fabric_spec.h"

namespace pacbench::netem {

/// A setting of a worker's namespace: a name such as "net.ipv4.tcp_rmem", and its value.
struct Sysctl {
  std::string name;
  std::string value;
};

/// An upper bound on the bytes that one connection has in flight when it fills its links, without
/// queueing delay and jitter: rate times round-trip delay. The rate is the highest of all up links
/// or the highest of all down links, whichever is less; schedules count too. The delay is the
/// longest of an up link plus the longest of a down link, both ways. Between two switches the
/// trunks' delays are added, and the slowest trunk limits the rate. The pair of switches with the
/// largest product counts.
std::int64_t bytes_in_flight(const netd::CreateRequest& request);

/// The settings that let TCP fill a link with delay; the kernel's usual limits would hold a long
/// and fast link below its rate. Empty without delay.
std::vector<Sysctl> tcp_buffers(const netd::CreateRequest& request);

/// Sets a setting in the calling thread's network namespace. Throws std::system_error.
void set_sysctl(const Sysctl& sysctl);
/// Returns the setting's present value in the calling thread's network namespace, words separated
/// by spaces. Throws std::system_error.
std::string read_sysctl(const Sysctl& sysctl);

}  // namespace pacbench::netem
