#include "harness/machine/cpu_allowance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include "base/cpu_times.h"
#include "base/files.h"

namespace pacbench {
namespace {

/// What stands behind "KEY:" in /proc/PID/status.
std::string status_value(const std::string& status, const std::string& key) {
  std::istringstream lines{status};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key + ":")) {
      const auto at = line.find_first_not_of("\t ", key.size() + 1);
      return at == std::string::npos ? "" : line.substr(at);
    }
  }
  return "";
}

/// Whether `word` is one of the words of a list that commas separate.
bool lists(const std::string& list, std::string_view word) {
  std::istringstream words{list};
  for (std::string each; std::getline(words, each, ',');) {
    if (each == word) return true;
  }
  return false;
}

/// A path of mountinfo, where octal numbers stand for blanks and backslashes.
std::string unescaped(const std::string& path) {
  constexpr std::size_t kDigits = 3;
  std::string plain;
  for (std::size_t at = 0; at < path.size(); ++at) {
    const auto digits = path.substr(at + 1, kDigits);
    const bool is_octal = path[at] == '\\' && digits.size() == kDigits &&
                          digits.find_first_not_of("01234567") == std::string::npos;
    plain += is_octal ? static_cast<char>(std::stoi(digits, nullptr, 8)) : path[at];
    if (is_octal) at += kDigits;
  }
  return plain;
}

struct Mount {
  std::string root;  ///< the part of the tree of cgroups that is mounted
  std::string folder;
  bool is_version2 = false;
};

/// The mounts of cgroups that may have the CPU controller.
std::vector<Mount> cpu_mounts(const std::string& proc_mountinfo) {
  // "35 31 0:30 /ROOT /FOLDER rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct"; any number of
  // fields may be before the dash.
  std::vector<Mount> mounts;
  std::istringstream lines{proc_mountinfo};
  for (std::string line; std::getline(lines, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before{line.substr(0, dash)}, after{line.substr(dash + 3)};
    std::string number, parent, device, root, folder, type, source, options;
    if (!(before >> number >> parent >> device >> root >> folder)) continue;
    if (!(after >> type >> source >> options)) continue;
    const bool is_version2 = type == "cgroup2";
    if (!is_version2 && !(type == "cgroup" && lists(options, "cpu"))) continue;
    mounts.push_back({unescaped(root), unescaped(folder), is_version2});
  }
  return mounts;
}

/// The process's path in a tree of cgroups.
std::optional<std::string> path_in_tree(const std::string& proc_cgroup, bool is_version2) {
  // "4:cpu,cpuacct:/PATH" in version 1, "0::/PATH" in version 2.
  std::istringstream lines{proc_cgroup};
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    if (is_version2 ? controllers.empty() : lists(controllers, "cpu")) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

bool goes_up(const std::string& path) { return path == "/.." || path.starts_with("/../"); }

/// The folder of the group `path`, and those of its ancestors that the mount shows; empty when it
/// shows none of them.
std::vector<std::string> folders(const Mount& mount, const std::string& path) {
  // A mount from outside of this cgroup namespace has a root such as "/..". The names between that
  // root and the namespace's own are not known, so only the root's limits can be read.
  if (goes_up(mount.root)) return {mount.folder};
  const auto root = mount.root == "/" ? "" : mount.root;
  if (goes_up(path) || !path.starts_with(root)) return {};
  auto rest = path == "/" ? "" : path.substr(root.size());
  if (!rest.empty() && rest.front() != '/') return {};  // a longer name than the root's
  std::vector<std::string> all;
  for (; !rest.empty(); rest.resize(rest.rfind('/'))) all.push_back(mount.folder + rest);
  all.push_back(mount.folder);
  return all;
}

std::vector<std::string> all_of(const CpuGroups& groups) {
  auto all = groups.version1;
  all.insert(all.end(), groups.version2.begin(), groups.version2.end());
  return all;
}

std::optional<double> quota_of(const std::string& folder) {
  const auto quota = quota_of_cpu_max(text_or_none(folder + "/cpu.max"));
  return quota ? quota
               : quota_of_cfs(text_or_none(folder + "/cpu.cfs_quota_us"),
                              text_or_none(folder + "/cpu.cfs_period_us"));
}

}  // namespace

CpuGroups cpu_groups(const std::string& proc_cgroup, const std::string& proc_mountinfo) {
  CpuGroups groups;
  for (const auto& mount : cpu_mounts(proc_mountinfo)) {
    auto& found = mount.is_version2 ? groups.version2 : groups.version1;
    const auto path = path_in_tree(proc_cgroup, mount.is_version2);
    // A tree may be mounted several times. The mount that shows most ancestors counts.
    if (!path) continue;
    if (auto all = folders(mount, *path); all.size() > found.size()) found = std::move(all);
  }
  return groups;
}

std::optional<double> quota_of_cpu_max(const std::string& cpu_max) {
  std::istringstream words{cpu_max};  // "50000 100000", or "max 100000"
  double quota_us = 0, period_us = 0;
  if (!(words >> quota_us >> period_us) || quota_us <= 0 || period_us <= 0) return std::nullopt;
  return quota_us / period_us;
}

std::optional<double> quota_of_cfs(const std::string& quota_us, const std::string& period_us) {
  return quota_of_cpu_max(quota_us + ' ' + period_us);  // a quota of -1 is no limit
}

CpuGroupStat cpu_group_stat(const std::string& cpu_stat) {
  constexpr std::int64_t kNsInUs = 1000;
  CpuGroupStat stat;
  std::istringstream words{cpu_stat};
  std::string key;
  for (std::int64_t value = 0; words >> key >> value;) {
    if (key == "nr_periods") stat.periods = value;
    if (key == "nr_throttled") stat.throttled = value;
    if (key == "throttled_time") stat.throttled_ns = value;
    if (key == "throttled_usec") stat.throttled_ns = kNsInUs * value;
    if (key == "usage_usec") stat.used_ns = kNsInUs * value;
  }
  return stat;
}

std::optional<CpuQuota> smallest_quota(const CpuGroups& groups) {
  std::optional<CpuQuota> smallest;
  for (const auto& folder : all_of(groups)) {
    const auto quota = quota_of(folder);
    if (quota && (!smallest || *quota < smallest->cpus)) smallest = {*quota, folder};
  }
  return smallest;
}

std::optional<std::int64_t> throttled_ns(const CpuGroups& groups) {
  std::optional<std::int64_t> sum;
  for (const auto& folder : all_of(groups)) {
    const auto one = cpu_group_stat(text_or_none(folder + "/cpu.stat")).throttled_ns;
    if (one) sum = sum.value_or(0) + *one;
  }
  return sum;
}

std::optional<std::int64_t> throttled_ns() {
  return throttled_ns(
      cpu_groups(text_or_none("/proc/self/cgroup"), text_or_none("/proc/self/mountinfo")));
}

CpuAllowance CpuAllowance::read(const std::string& process) {
  CpuAllowance allowance;
  const auto online = numbers_of(cpu_times());
  allowance.machine_cpus = static_cast<int>(online.size());
  // The mask may have CPUs that are not there.
  const auto mask =
      parse_cpu_list(status_value(text_or_none(process + "/status"), "Cpus_allowed_list"));
  std::set_intersection(mask.begin(), mask.end(), online.begin(), online.end(),
                        std::back_inserter(allowance.cpus));
  if (allowance.cpus.empty()) allowance.cpus = online;
  allowance.quota = smallest_quota(
      cpu_groups(text_or_none(process + "/cgroup"), text_or_none("/proc/self/mountinfo")));
  return allowance;
}

double CpuAllowance::usable() const {
  const auto number = static_cast<double>(cpus.size());
  return quota ? std::min(number, quota->cpus) : number;
}

bool CpuAllowance::quota_limits() const {
  return quota && quota->cpus < static_cast<double>(cpus.size());
}

bool CpuAllowance::is_limited() const { return usable() < machine_cpus; }

std::vector<int> parse_cpu_list(const std::string& list) {
  constexpr int kMost = 1 << 16;  // more than Linux can have
  std::vector<int> cpus;
  std::istringstream parts{list};
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream numbers{part};
    int first = 0, last = 0;
    char dash = 0;
    if (!(numbers >> first)) return {};
    last = first;
    if (numbers >> dash && (dash != '-' || !(numbers >> last))) return {};
    if (first < 0 || last < first || last > kMost) return {};
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

std::string cpu_list(const std::vector<int>& cpus) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first < cpus.size();) {
    auto last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    parts.push_back(last == first ? fmt::format("{}", cpus[first])
                                  : fmt::format("{}-{}", cpus[first], cpus[last]));
    first = last + 1;
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string words_of_limits(const CpuAllowance& allowance) {
  if (!allowance.is_limited()) return "";
  const auto number = static_cast<int>(allowance.cpus.size());
  const bool by_mask = number < allowance.machine_cpus;
  if (!allowance.quota_limits()) {
    return fmt::format("{} of {} CPUs (taskset or cpuset)", number, allowance.machine_cpus);
  }
  return fmt::format("{:.3g} CPUs of {} (cgroup quota{})", allowance.quota->cpus,
                     allowance.machine_cpus,
                     by_mask ? fmt::format("; {} by taskset or cpuset", number) : "");
}

}  // namespace pacbench
