#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pacbench {

/// The cgroups that may limit a process's CPU time, as folders: its own first, then each ancestor
/// that is visible from here. A kernel may have the CPU controller in version 1 or 2.
struct CpuGroups {
  std::vector<std::string> version1;
  std::vector<std::string> version2;
};

/// Finds them by the texts of /proc/PID/cgroup and /proc/self/mountinfo. A container sees its own
/// part of the tree, with or without a cgroup namespace, so ancestors above that part are missing.
CpuGroups cpu_groups(const std::string& proc_cgroup, const std::string& proc_mountinfo);

/// The number of CPUs whose time a group may use, by the text of cpu.max (version 2); absent when
/// there is no limit, or the text has another form.
std::optional<double> quota_of_cpu_max(const std::string& cpu_max);

/// The same by the texts of cpu.cfs_quota_us and cpu.cfs_period_us (version 1).
std::optional<double> quota_of_cfs(const std::string& quota_us, const std::string& period_us);

/// The counters of a group's cpu.stat, of either version. One is absent when the text lacks it.
struct CpuGroupStat {
  std::optional<std::int64_t> periods;       ///< of the quota, in which some task wanted to run
  std::optional<std::int64_t> throttled;     ///< periods in which the quota was used up
  std::optional<std::int64_t> throttled_ns;  ///< that CPUs refused to run ready tasks, summed
  std::optional<std::int64_t> used_ns;       ///< CPU time of all tasks; version 2 only
};
CpuGroupStat cpu_group_stat(const std::string& cpu_stat);

/// The group with the smallest quota.
struct CpuQuota {
  double cpus = 0;
  std::string folder;
};
std::optional<CpuQuota> smallest_quota(const CpuGroups& groups);

/// How long the CPUs refused to run ready tasks of these groups because a quota was used up, summed
/// over CPUs and groups, since the groups were made. A group's time includes that of its other
/// programs. Absent where no group says it.
std::optional<std::int64_t> throttled_ns(const CpuGroups& groups);

/// The same for the groups of this process, which are looked up in each call.
std::optional<std::int64_t> throttled_ns();

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
