#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace pacbench {

/// The host's load between two samplings. They are at least a second apart, or at least 0.2 s in a
/// cell that trains for less than a second.
struct HostSample {
  double idle = 1;     ///< share of the CPUs' time without work, waiting for a disk included
  double softirq = 0;  ///< share of the CPUs' time spent on packets (and other soft interrupts)
  /// Share of the time in which some task was ready and had no CPU (pressure stall information,
  /// `some` of /proc/pressure/cpu); absent where the kernel does not keep it.
  std::optional<double> pressure;
};

/// The median of one share over the samples that have it; absent when no sample has it.
std::optional<double> median_of(const std::vector<HostSample>& samples,
                                std::optional<double> (*share)(const HostSample& sample));

/// Ticks that the CPUs have spent since boot, from the first line of /proc/stat.
struct CpuTicks {
  std::int64_t idle = 0;
  std::int64_t softirq = 0;
  std::int64_t stolen = 0;  ///< by a hypervisor, for other machines
  std::int64_t total = 0;
};

/// Reads the ticks from the text of /proc/stat; absent when the text has another form.
std::optional<CpuTicks> cpu_ticks(const std::string& proc_stat);

/// The share of the CPUs' time that a hypervisor kept from this machine since the construction.
class StolenTime {
 public:
  StolenTime();
  /// Absent where the kernel does not say, and before the first tick.
  std::optional<double> share() const;

 private:
  std::optional<CpuTicks> start_;
};

/// Microseconds since boot in which some task waited for a CPU. Absent when the text has none.
std::optional<std::int64_t> cpu_pressure_us(const std::string& proc_pressure_cpu);

/// Measures the host's load from one sample to the next.
class HostSampler {
 public:
  static constexpr std::int64_t kPeriodNs = 1'000'000'000;
  static constexpr std::int64_t kShortestNs = 200'000'000;  ///< shorter has too few ticks of 10 ms

  /// The host's load since the last sample. Absent at the first call, when less than `period_ns`
  /// has passed, or when /proc/stat cannot be read. `now_ns` is the time on CLOCK_MONOTONIC.
  std::optional<HostSample> sample(std::int64_t period_ns = kPeriodNs,
                                   std::int64_t now_ns = monotonic_ns());

 private:
  std::int64_t last_ns_ = 0;
  CpuTicks last_ticks_;
  std::optional<std::int64_t> last_pressure_us_;
};

}  // namespace pacbench
