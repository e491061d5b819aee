#pragma once

#include <sched.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/check.h"

namespace pacbench {

/// This host's own name. Throws std::system_error.
inline std::string host_name() {
  std::array<char, 256> name{};
  check("gethostname", ::gethostname(name.data(), name.size() - 1));
  return name.data();
}

/// The number of cores that the calling thread may use (its affinity mask); 1 when the kernel does
/// not say.
inline int usable_cores() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace pacbench
