#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pacbench {

/// How one CPU has spent its time since boot, from its line of /proc/stat. The kernel counts in
/// ticks of 10 ms.
struct CpuTimes {
  int cpu = 0;
  std::int64_t busy_ns = 0;     ///< programs and the kernel on their behalf; no interrupts
  std::int64_t idle_ns = 0;     ///< without work, waiting for a disk included
  std::int64_t softirq_ns = 0;  ///< on packets, and other soft interrupts
  std::int64_t stolen_ns = 0;   ///< a hypervisor ran other machines while this CPU had work
  std::int64_t total_ns = 0;
};

/// The CPUs of a text of /proc/stat, in its order; empty when the text has another form.
std::vector<CpuTimes> cpu_times(const std::string& proc_stat);

/// The CPUs of this machine now.
std::vector<CpuTimes> cpu_times();

/// The times of these CPUs together; absent where there are none or one of them is missing.
std::optional<CpuTimes> sum_of(const std::vector<CpuTimes>& times, const std::vector<int>& cpus);

/// The numbers of the CPUs, in their order.
std::vector<int> numbers_of(const std::vector<CpuTimes>& times);

}  // namespace pacbench
