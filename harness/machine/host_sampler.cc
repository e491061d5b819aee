#include "harness/machine/host_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/files.h"
#include "harness/statistics/spread.h"

namespace pacbench {
namespace {

std::optional<CpuTimes> all_cpus() {
  const auto times = cpu_times();
  return sum_of(times, numbers_of(times));
}

}  // namespace

std::optional<double> median_of(const std::vector<HostSample>& samples,
                                std::optional<double> (*share)(const HostSample& sample)) {
  std::vector<double> values;
  for (const auto& sample : samples) {
    if (const auto value = share(sample)) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional{statistics::median(values)};
}

std::string words_of_usable_cpus(const std::vector<HostSample>& samples) {
  if (samples.empty() || !samples.back().usable_cpus || !samples.back().machine_cpus) return "";
  const auto usable = *samples.back().usable_cpus;
  const auto all = *samples.back().machine_cpus;
  return usable < all ? fmt::format("{:.3g} of the machine's {} CPUs", usable, all) : "";
}

std::optional<double> idle_of_quota(const CpuGroupStat& before, const CpuGroupStat& after,
                                    double cpus, std::int64_t elapsed_ns) {
  std::optional<double> idle;
  const auto take = [&](double share) { idle = std::clamp(share, 0., idle.value_or(1)); };
  if (before.used_ns && after.used_ns && elapsed_ns > 0) {
    const auto used_ns = static_cast<double>(*after.used_ns - *before.used_ns);
    take(1 - used_ns / (cpus * static_cast<double>(elapsed_ns)));
  }
  if (before.periods && after.periods && before.throttled && after.throttled) {
    const auto periods = static_cast<double>(*after.periods - *before.periods);
    const auto throttled = static_cast<double>(*after.throttled - *before.throttled);
    // The kernel counts only periods in which the group had something to do.
    take(periods > 0 ? 1 - throttled / periods : 1);
  }
  return idle;
}

StolenTime::StolenTime() : start_{all_cpus()} {}

std::optional<double> StolenTime::share() const {
  const auto now = all_cpus();
  if (!start_ || !now || now->total_ns <= start_->total_ns) return std::nullopt;
  return static_cast<double>(now->stolen_ns - start_->stolen_ns) /
         static_cast<double>(now->total_ns - start_->total_ns);
}

std::optional<std::int64_t> cpu_pressure_us(const std::string& proc_pressure_cpu) {
  // "some avg10=1.53 avg60=1.20 avg300=0.98 total=1234567"
  constexpr const char* kTotal = "total=";
  const auto line = proc_pressure_cpu.substr(0, proc_pressure_cpu.find('\n'));
  const auto at = line.find(kTotal);
  if (!line.starts_with("some ") || at == std::string::npos) return std::nullopt;
  std::istringstream number{line.substr(at + std::string{kTotal}.size())};
  std::int64_t total_us = 0;
  return number >> total_us ? std::optional{total_us} : std::nullopt;
}

HostSampler::HostSampler(CpuAllowance allowance) : allowance_{std::move(allowance)} {}

std::optional<HostSample> HostSampler::sample(std::int64_t period_ns, std::int64_t now_ns) {
  if (last_ns_ != 0 && now_ns - last_ns_ < period_ns) return std::nullopt;
  const auto times = sum_of(cpu_times(), allowance_.cpus);
  const auto pressure_us = cpu_pressure_us(text_or_none("/proc/pressure/cpu"));
  CpuGroupStat group;
  if (allowance_.quota_limits()) {
    group = cpu_group_stat(text_or_none(allowance_.quota->folder + "/cpu.stat"));
  }
  if (!times) return std::nullopt;
  const auto all = static_cast<double>(times->total_ns - last_times_.total_ns);
  std::optional<HostSample> sample;
  if (last_ns_ != 0 && all > 0) {
    sample.emplace();
    sample->idle = static_cast<double>(times->idle_ns - last_times_.idle_ns) / all;
    sample->softirq = static_cast<double>(times->softirq_ns - last_times_.softirq_ns) / all;
    sample->usable_cpus = allowance_.usable();
    sample->machine_cpus = allowance_.machine_cpus;
    if (allowance_.quota_limits()) {
      const auto left =
          idle_of_quota(last_group_, group, allowance_.quota->cpus, now_ns - last_ns_);
      sample->idle = std::min(sample->idle, left.value_or(sample->idle));
    }
    if (pressure_us && last_pressure_us_) {
      const auto waited_us = static_cast<double>(*pressure_us - *last_pressure_us_);
      // At most 1: the kernel's sum of waiting and the clock are not read at the same instant.
      sample->pressure =
          std::clamp(waited_us * 1e3 / static_cast<double>(now_ns - last_ns_), 0., 1.);
    }
  }
  last_ns_ = now_ns;
  last_times_ = *times;
  last_group_ = group;
  last_pressure_us_ = pressure_us;
  return sample;
}

}  // namespace pacbench
