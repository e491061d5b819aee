#include "analysis/adapt/gain.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

namespace pacbench::adapt {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

/// Index of the arm that is the fastest at a rate.
std::size_t fastest_of(const std::vector<Arm>& arms, double rate_mbit) {
  const auto found =
      std::min_element(arms.begin(), arms.end(), [&](const Arm& one, const Arm& two) {
        return one.tta_at(rate_mbit) < two.tta_at(rate_mbit);
      });
  return static_cast<std::size_t>(found - arms.begin());
}

/// A function that is called for each piece of a schedule, with its rate and the training time
/// spent in it.
using Passed = std::function<void(double rate_mbit, double used_s)>;

/// The time that a training needs over a schedule, if it takes tta_at(rate) at a constant rate.
double time_over(const RateSchedule& schedule, const std::function<double(double)>& tta_at,
                 const Passed& passed = {}) {
  double done = 0, clock_s = 0;
  for (std::size_t i = 0;; i = (i + 1) % schedule.steps.size()) {
    const auto& step = schedule.steps[i];
    const bool last = i + 1 == schedule.steps.size();
    const auto end_s =
        !last ? schedule.steps[i + 1].at_s : (schedule.repeat_s > 0 ? schedule.repeat_s : kForever);
    const auto whole_s = tta_at(step.rate_mbit);
    const auto needed_s = (1 - done) * whole_s;
    const auto used_s = std::min(needed_s, end_s - step.at_s);
    if (passed) passed(step.rate_mbit, used_s);
    clock_s += used_s;
    if (used_s == needed_s) return clock_s;
    done += used_s / whole_s;
  }
}

}  // namespace

Gain gain_over(const Arms& arms, const RateSchedule& schedule) {
  if (!schedule.any()) throw std::invalid_argument{"a schedule without steps"};
  const auto alone_s = [&](const std::vector<Arm>& of, std::size_t arm) {
    return time_over(schedule, [&](double rate) { return of[arm].tta_at(rate); });
  };
  const auto changing_s = [&](const std::vector<Arm>& of, const Passed& passed = {}) {
    const auto tta_at = [&](double rate) {
      return of[fastest_of(arms.medians, rate)].tta_at(rate);
    };
    return time_over(schedule, tta_at, passed);
  };
  std::vector<double> alone;
  for (std::size_t i = 0; i < arms.medians.size(); ++i) alone.push_back(alone_s(arms.medians, i));
  const auto single =
      static_cast<std::size_t>(std::min_element(alone.begin(), alone.end()) - alone.begin());
  Gain gain;
  gain.single = arms.medians[single].label;
  gain.single_s = alone[single];
  gain.oracle_s = changing_s(arms.medians, [&](double rate, double used_s) {
    gain.shares[arms.medians[fastest_of(arms.medians, rate)].label] += used_s;
  });
  for (auto& [label, share] : gain.shares) share /= gain.oracle_s;
  for (const auto& seed : arms.of_seeds) {
    gain.of_seeds.push_back(alone_s(seed, single) / changing_s(seed));
  }
  return gain;
}

std::vector<AtRate> fastest_at_rates(const Arms& arms) {
  std::vector<AtRate> all;
  for (const auto rate : arms.rates_mbit) {
    auto order = arms.medians;
    std::sort(order.begin(), order.end(),
              [&](const Arm& one, const Arm& two) { return one.tta_at(rate) < two.tta_at(rate); });
    AtRate at{rate, order[0].label, order[0].tta_at(rate), "", 0};
    if (order.size() > 1) {
      at.next = order[1].label;
      at.next_s = order[1].tta_at(rate);
    }
    all.push_back(std::move(at));
  }
  return all;
}

Steady steadiest(const Arms& arms) {
  Steady best{"", kForever, 0};
  const auto fastest = fastest_at_rates(arms);
  for (const auto& arm : arms.medians) {
    Steady worst{arm.label, 0, 0};
    for (const auto& at : fastest) {
      const auto factor = arm.tta_at(at.rate_mbit) / at.tta_s;
      if (factor > worst.worst_factor) worst = {arm.label, factor, at.rate_mbit};
    }
    if (worst.worst_factor < best.worst_factor) best = worst;
  }
  return best;
}

}  // namespace pacbench::adapt
