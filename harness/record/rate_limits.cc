#include "harness/record/rate_limits.h"

#include <algorithm>

#include "base/clock.h"

namespace pacbench::record {
namespace {

constexpr double kBytesPerMbit = 1e6 / 8;
constexpr std::int64_t kNsPerMs = 1'000'000;

}  // namespace

RateLimits::RateLimits(double bytes_per_s) : every_{bytes_per_s} {}

RateLimits::RateLimits(const Scenario& scenario, const LinkProfile& link) {
  if (!makes_links(scenario)) return;
  if (link.schedule.any()) schedule_ = schedule_request(scenario, link);
  const auto request = fabric_request(scenario, link);
  const auto one_way = [&](const std::string& name) {
    return OneWay{netd::find_direction(request, name)->rate_mbit * kBytesPerMbit,
                  std::ranges::count(schedule_.directions, name) > 0};
  };
  for (int worker = 0; worker < scenario.workers; ++worker) {
    links_.push_back({one_way(netd::up_name(worker)), one_way(netd::down_name(worker))});
  }
}

std::int64_t RateLimits::steps_due(std::int64_t until_ns) const {
  if (!start_ns_ || schedule_.steps.empty() || until_ns < *start_ns_) return 0;
  const auto elapsed_ms = (until_ns - *start_ns_) / kNsPerMs;
  const auto in_round = [&](std::int64_t ms) {
    return std::ranges::count_if(schedule_.steps,
                                 [&](const auto& step) { return step.at_ms <= ms; });
  };
  if (schedule_.repeat_ms == 0) return in_round(elapsed_ms);
  return elapsed_ms / schedule_.repeat_ms * static_cast<std::int64_t>(schedule_.steps.size()) +
         in_round(elapsed_ms % schedule_.repeat_ms);
}

RateLimits::Bytes RateLimits::between(int rank, std::int64_t from_ns, std::int64_t to_ns) const {
  if (links_.empty()) {
    const double bytes = every_ * seconds(to_ns - from_ns);
    return {bytes, bytes};
  }
  const auto& link = links_.at(static_cast<std::size_t>(rank));
  return {carried(link.up, from_ns, to_ns), carried(link.down, from_ns, to_ns)};
}

/// Integrates the rate. Each step of a schedule holds from the time it is due until the latest time
/// at which the next one is applied.
double RateLimits::carried(const OneWay& direction, std::int64_t from_ns,
                           std::int64_t to_ns) const {
  if (!direction.scheduled || !start_ns_) return direction.bytes_per_s * seconds(to_ns - from_ns);
  const auto& steps = schedule_.steps;
  const auto round_ns = schedule_.repeat_ms * kNsPerMs;
  double bytes = 0;
  auto first_ns = *start_ns_;
  if (round_ns > 0 && from_ns > first_ns) {
    // The sum starts one round earlier, since that round's last step may still hold.
    first_ns += std::max<std::int64_t>((from_ns - first_ns) / round_ns - 1, 0) * round_ns;
  }
  for (auto round_start_ns = first_ns; round_start_ns <= to_ns; round_start_ns += round_ns) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool last = i + 1 == steps.size();
      const auto begin_ns = round_start_ns + steps[i].at_ms * kNsPerMs;
      const auto end_ns = !last          ? round_start_ns + steps[i + 1].at_ms * kNsPerMs
                          : round_ns > 0 ? round_start_ns + round_ns
                                         : to_ns;
      const auto held_ns = std::min(to_ns, end_ns + kStepToleranceNs) - std::max(from_ns, begin_ns);
      if (held_ns > 0) bytes += steps[i].rate_mbit * kBytesPerMbit * seconds(held_ns);
    }
    if (round_ns == 0) break;
  }
  // Before the start the first step's rate holds.
  const auto before_ns = std::min(to_ns, *start_ns_) - from_ns;
  if (before_ns > 0) bytes += steps.front().rate_mbit * kBytesPerMbit * seconds(before_ns);
  return bytes;
}

}  // namespace pacbench::record
