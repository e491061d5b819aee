#include "harness/cpu_sampler.h"

#include <fstream>
#include <string>

#include "base/clock.h"

namespace pacbench {

std::optional<double> CpuSampler::sample() {
  constexpr std::int64_t kPeriodNs = 1'000'000'000;
  const auto now_ns = monotonic_ns();
  if (last_ns_ != 0 && now_ns - last_ns_ < kPeriodNs) return std::nullopt;
  // "cpu user nice system idle iowait irq softirq steal"; guest times are inside user and nice.
  constexpr int kIdle = 3;
  constexpr int kIoWait = 4;
  constexpr int kFields = 8;
  std::ifstream file{"/proc/stat"};
  std::string name;
  file >> name;
  std::int64_t idle = 0;
  std::int64_t total = 0;
  for (int field = 0; field < kFields; ++field) {
    std::int64_t ticks = 0;
    if (!(file >> ticks)) return std::nullopt;
    total += ticks;
    if (field == kIdle || field == kIoWait) idle += ticks;
  }
  const bool first = last_ns_ == 0;
  const auto idle_ticks = static_cast<double>(idle - last_idle_);
  const auto all_ticks = static_cast<double>(total - last_total_);
  last_ns_ = now_ns;
  last_idle_ = idle;
  last_total_ = total;
  if (first || all_ticks <= 0) return std::nullopt;
  return idle_ticks / all_ticks;
}

}  // namespace pacbench
