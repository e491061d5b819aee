#include "harness/calibration/watch.h"

#include <fstream>
#include <iterator>
#include <numeric>
#include <string>

#include "base/clock.h"
#include "harness/machine/cpu_allowance.h"
#include "harness/machine/host_sampler.h"

namespace pacbench::calibration {
namespace {

/// The text of a file in /proc; empty where the kernel does not have it.
std::string text_of(const char* path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

Watch::Watch(links::Fabric* fabric)
    : fabric_{fabric}, cpus_{CpuAllowance::read().cpus}, start_{look()} {}

Watch::State Watch::look() {
  State now;
  now.at_ns = monotonic_ns();
  const auto ticks = cpu_ticks(text_of("/proc/stat"), cpus_).value_or(CpuTicks{});
  now.idle_ticks = ticks.idle;
  now.softirq_ticks = ticks.softirq;
  now.all_ticks = ticks.total;
  now.pressed_us = cpu_pressure_us(text_of("/proc/pressure/cpu")).value_or(0);
  if (fabric_ == nullptr) return now;
  const auto counters = fabric_->counters();
  for (const auto& link : counters.links) now.dropped += link.dropped_packets;
  const auto& sent_again = counters.retransmitted_segments;
  now.retransmits = std::accumulate(sent_again.begin(), sent_again.end(), std::int64_t{0});
  return now;
}

Circumstances Watch::circumstances() {
  const auto now = look();
  const auto ticks = now.all_ticks - start_.all_ticks;
  Circumstances result;
  result.idle_share = share(now.idle_ticks - start_.idle_ticks, ticks);
  result.softirq_share = share(now.softirq_ticks - start_.softirq_ticks, ticks);
  result.cpu_pressure =
      share(1000 * (now.pressed_us - start_.pressed_us), now.at_ns - start_.at_ns);
  if (fabric_ == nullptr) return result;
  result.retransmits = now.retransmits - start_.retransmits;
  result.dropped = now.dropped - start_.dropped;
  return result;
}

}  // namespace pacbench::calibration
