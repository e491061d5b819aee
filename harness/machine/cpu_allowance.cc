#include "harness/machine/cpu_allowance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>

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

}  // namespace

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
