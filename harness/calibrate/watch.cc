#include "harness/calibrate/watch.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>

#include "base/clock.h"

namespace pacbench::calibrate {
namespace {

/// After "some avg10=0.00 avg60=0.00 avg300=0.00 total="; 0 on a kernel without PSI.
std::int64_t total_pressure_us() {
  std::ifstream file{"/proc/pressure/cpu"};
  for (std::string word; file >> word;) {
    if (word.starts_with("total=")) return std::stoll(word.substr(6));
  }
  return 0;
}

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

Watch::Watch(Fabric* fabric) : fabric_{fabric}, start_{look()} {}

Watch::State Watch::look() {
  State now;
  now.at_ns = monotonic_ns();
  // "cpu user nice system idle iowait irq softirq steal"; guest times are inside user and nice.
  std::ifstream file{"/proc/stat"};
  std::string name;
  file >> name;
  std::int64_t ticks[8]{};
  for (auto& field : ticks) file >> field;
  now.idle_ticks = ticks[3] + ticks[4];
  now.softirq_ticks = ticks[6];
  now.all_ticks = std::accumulate(std::begin(ticks), std::end(ticks), std::int64_t{0});
  now.pressed_us = total_pressure_us();
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

}  // namespace pacbench::calibrate
