#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/cpu_times.h"
#include "harness/machine/cpu_allowance.h"

namespace pacbench {

/// The host's load between two samplings. They are at least a second apart, or at least 0.2 s in a
/// cell that trains for less than a second. Shares are of the CPUs that the run may use, which may
/// be fewer than the machine has (CpuAllowance).
struct HostSample {
  /// Share of the CPUs' time without work, waiting for a disk included. Under a quota it is at most
  /// the share of the quota that is left, and of the quota's periods in which it was not used up.
  double idle = 1;
  double softirq = 0;  ///< share of the CPUs' time spent on packets (and other soft interrupts)
  /// Share of the time in which some task was ready and had no CPU (pressure stall information,
  /// `some` of /proc/pressure/cpu); absent where the kernel does not keep it.
  std::optional<double> pressure;
  std::optional<double> usable_cpus{};  ///< CPUs' time that the run could use; absent: not recorded
  std::optional<int> machine_cpus{};    ///< that the machine has; absent: not recorded
};

/// The median of one share over the samples that have it; absent when no sample has it.
std::optional<double> median_of(const std::vector<HostSample>& samples,
                                std::optional<double> (*share)(const HostSample& sample));

/// "1 of the machine's 2 CPUs" where the samples' run could use less than the machine has; empty
/// where it could use all, and where that was not recorded.
std::string words_of_usable_cpus(const std::vector<HostSample>& samples);

/// The share of a quota of `cpus` CPUs that was left in `elapsed_ns`, or the share of its periods
/// in which it was not used up, if that is smaller. Absent where the group counts neither.
std::optional<double> idle_of_quota(const CpuGroupStat& before, const CpuGroupStat& after,
                                    double cpus, std::int64_t elapsed_ns);

/// The share of the CPUs' time that a hypervisor kept from this machine since the construction.
class StolenTime {
 public:
  StolenTime();
  /// Absent where the kernel does not say, and before the first tick.
  std::optional<double> share() const;

 private:
  std::optional<CpuTimes> start_;
};

/// Microseconds since boot in which some task waited for a CPU. Absent when the text has none.
std::optional<std::int64_t> cpu_pressure_us(const std::string& proc_pressure_cpu);

/// Measures the load of the CPUs that a run may use, from one sample to the next.
class HostSampler {
 public:
  explicit HostSampler(CpuAllowance allowance = CpuAllowance::read());

  static constexpr std::int64_t kPeriodNs = 1'000'000'000;
  static constexpr std::int64_t kShortestNs = 200'000'000;  ///< shorter has too few ticks of 10 ms

  /// The host's load since the last sample. Absent at the first call, when less than `period_ns`
  /// has passed, or when /proc/stat cannot be read. `now_ns` is the time on CLOCK_MONOTONIC.
  std::optional<HostSample> sample(std::int64_t period_ns = kPeriodNs,
                                   std::int64_t now_ns = monotonic_ns());

 private:
  CpuAllowance allowance_;
  std::int64_t last_ns_ = 0;
  CpuTimes last_times_;
  CpuGroupStat last_group_;  ///< of the cgroup whose quota limits the run
  std::optional<std::int64_t> last_pressure_us_;
};

}  // namespace pacbench
