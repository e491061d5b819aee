#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/machine/cpu_groups.h"

namespace pacbench {

/// The CPUs that a process may use, and those that the machine has. A scheduler, a container or the
/// user may give a run fewer.
struct CpuAllowance {
  std::vector<int> cpus;          ///< by number: its affinity mask, of which a cpuset is a part
  int machine_cpus = 0;           ///< that are online; 0: unknown
  std::optional<CpuQuota> quota;  ///< the smallest of its cgroups'; absent: none

  /// Of the process whose folder in /proc is given. Nothing that cannot be read is an error.
  static CpuAllowance read(const std::string& process = "/proc/self");

  /// How many CPUs' time the process may use.
  double usable() const;
  /// Whether a quota, not the number of CPUs, sets usable().
  bool quota_limits() const;
  /// Whether usable() is less than the machine has.
  bool is_limited() const;
};

/// The numbers of a list as the kernel writes it: "0-2,8" is 0, 1, 2 and 8. Empty for another form.
std::vector<int> parse_cpu_list(const std::string& list);
std::string cpu_list(const std::vector<int>& cpus);

/// "1 of 2 CPUs (taskset or cpuset)", "0.5 CPUs of 2 (cgroup quota)", or both. Empty when the
/// process may use all CPUs.
std::string words_of_limits(const CpuAllowance& allowance);

}  // namespace pacbench
