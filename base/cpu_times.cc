#include "base/cpu_times.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <sstream>

#include "base/files.h"

namespace pacbench {

std::vector<CpuTimes> cpu_times(const std::string& proc_stat) {
  // "cpu0 user nice system idle iowait irq softirq steal"; guest times are inside user and nice.
  enum { kUser, kNice, kSystem, kIdle, kIoWait, kIrq, kSoftirq, kStolen, kFields };
  static const std::int64_t tick_ns = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  std::vector<CpuTimes> cpus;
  std::istringstream lines{proc_stat};
  for (std::string line; std::getline(lines, line) && line.starts_with("cpu");) {
    if (line.size() < 4 || std::isdigit(static_cast<unsigned char>(line[3])) == 0) continue;
    std::istringstream words{line.substr(3)};
    CpuTimes times;
    std::array<std::int64_t, kFields> ticks{};
    words >> times.cpu;
    for (auto& count : ticks) words >> count;
    if (!words) return {};
    times.busy_ns = tick_ns * (ticks[kUser] + ticks[kNice] + ticks[kSystem]);
    times.idle_ns = tick_ns * (ticks[kIdle] + ticks[kIoWait]);
    times.softirq_ns = tick_ns * ticks[kSoftirq];
    times.stolen_ns = tick_ns * ticks[kStolen];
    times.total_ns = tick_ns * std::accumulate(ticks.begin(), ticks.end(), std::int64_t{0});
    cpus.push_back(times);
  }
  return cpus;
}

std::vector<CpuTimes> cpu_times() { return cpu_times(text_or_none("/proc/stat")); }

std::optional<CpuTimes> sum_of(const std::vector<CpuTimes>& times, const std::vector<int>& cpus) {
  CpuTimes sum;
  for (const int cpu : cpus) {
    const auto one = std::find_if(times.begin(), times.end(),
                                  [&](const CpuTimes& each) { return each.cpu == cpu; });
    if (one == times.end()) return std::nullopt;
    sum.busy_ns += one->busy_ns;
    sum.idle_ns += one->idle_ns;
    sum.softirq_ns += one->softirq_ns;
    sum.stolen_ns += one->stolen_ns;
    sum.total_ns += one->total_ns;
  }
  return cpus.empty() ? std::nullopt : std::optional{sum};
}

std::vector<int> numbers_of(const std::vector<CpuTimes>& times) {
  std::vector<int> numbers;
  for (const auto& one : times) numbers.push_back(one.cpu);
  return numbers;
}

}  // namespace pacbench
