#include "harness/machine/host_sampler.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/clock.h"
#include "harness/statistics/spread.h"

namespace pacbench {
namespace {

/// The text of a kernel's file; empty where the file does not exist or may not be read.
std::string text_of(const char* path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
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

std::optional<CpuTicks> cpu_ticks(const std::string& proc_stat) {
  // "cpu user nice system idle iowait irq softirq steal"; guest times are inside user and nice.
  constexpr int kIdle = 3;
  constexpr int kIoWait = 4;
  constexpr int kSoftirq = 6;
  constexpr int kStolen = 7;
  constexpr int kFields = 8;
  std::istringstream line{proc_stat};
  std::string name;
  line >> name;
  CpuTicks ticks;
  for (int field = 0; field < kFields; ++field) {
    std::int64_t count = 0;
    if (!(line >> count)) return std::nullopt;
    ticks.total += count;
    if (field == kIdle || field == kIoWait) ticks.idle += count;
    if (field == kSoftirq) ticks.softirq += count;
    if (field == kStolen) ticks.stolen += count;
  }
  return ticks;
}

StolenTime::StolenTime() : start_{cpu_ticks(text_of("/proc/stat"))} {}

std::optional<double> StolenTime::share() const {
  const auto now = cpu_ticks(text_of("/proc/stat"));
  if (!start_ || !now || now->total <= start_->total) return std::nullopt;
  return static_cast<double>(now->stolen - start_->stolen) /
         static_cast<double>(now->total - start_->total);
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

std::optional<HostSample> HostSampler::sample(std::int64_t period_ns, std::int64_t now_ns) {
  if (last_ns_ != 0 && now_ns - last_ns_ < period_ns) return std::nullopt;
  const auto ticks = cpu_ticks(text_of("/proc/stat"));
  const auto pressure_us = cpu_pressure_us(text_of("/proc/pressure/cpu"));
  if (!ticks) return std::nullopt;
  const auto all = static_cast<double>(ticks->total - last_ticks_.total);
  std::optional<HostSample> sample;
  if (last_ns_ != 0 && all > 0) {
    sample.emplace();
    sample->idle = static_cast<double>(ticks->idle - last_ticks_.idle) / all;
    sample->softirq = static_cast<double>(ticks->softirq - last_ticks_.softirq) / all;
    if (pressure_us && last_pressure_us_) {
      const auto waited_us = static_cast<double>(*pressure_us - *last_pressure_us_);
      // At most 1: the kernel's sum of waiting and the clock are not read at the same instant.
      sample->pressure =
          std::clamp(waited_us * 1e3 / static_cast<double>(now_ns - last_ns_), 0., 1.);
    }
  }
  last_ns_ = now_ns;
  last_ticks_ = *ticks;
  last_pressure_us_ = pressure_us;
  return sample;
}

}  // namespace pacbench
