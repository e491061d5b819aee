#include "harness/calibration/watch.h"

#include <numeric>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "harness/machine/cpu_allowance.h"
#include "harness/machine/host_sampler.h"

namespace pacbench::calibration {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

Watch::Watch(links::Fabric& fabric)
    : fabric_{&fabric}, cpus_{CpuAllowance::read().cpus}, start_{look()} {}

Watch::State Watch::look() {
  State now;
  now.at_ns = monotonic_ns();
  now.cpus = sum_of(cpu_times(), cpus_).value_or(CpuTimes{});
  now.pressed_us = cpu_pressure_us(text_or_none("/proc/pressure/cpu")).value_or(0);
  const auto counters = fabric_->counters();
  for (const auto& link : counters.links) now.dropped += link.dropped_packets;
  const auto& sent_again = counters.retransmitted_segments;
  now.retransmits = std::accumulate(sent_again.begin(), sent_again.end(), std::int64_t{0});
  return now;
}

Circumstances Watch::circumstances() {
  const auto now = look();
  const auto all_ns = now.cpus.total_ns - start_.cpus.total_ns;
  Circumstances result;
  result.idle_share = share(now.cpus.idle_ns - start_.cpus.idle_ns, all_ns);
  result.softirq_share = share(now.cpus.softirq_ns - start_.cpus.softirq_ns, all_ns);
  result.cpu_pressure =
      share(1000 * (now.pressed_us - start_.pressed_us), now.at_ns - start_.at_ns);
  result.retransmits = now.retransmits - start_.retransmits;
  result.dropped = now.dropped - start_.dropped;
  return result;
}

}  // namespace pacbench::calibration
