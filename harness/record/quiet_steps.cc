#include "harness/record/quiet_steps.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "base/clock.h"
#include "harness/record/spans.h"
#include "harness/statistics/spread.h"

namespace pacbench::record {
namespace {

using Step = CellRecord::Step;

// A stop of the machine is taken off where the times that its meter leaves open at both ends, each
// at most the meter's period, are all that remains of the disturbance.
constexpr double kEndsOfStop_s = 0.032;

/// A time in which something kept CPUs from the run, for whatever reasons.
struct Taken {
  Span time;
  double lost_s = 0;  ///< CPU time, all CPUs together
  double stopped_s = 0;
  bool only_stops = true;
};

/// The disturbances of a trace, in order, those that overlap joined.
std::vector<Taken> joined(const MachineTrace& trace) {
  std::vector<Taken> all;
  for (const auto& one : trace.disturbances) {
    const bool is_stop = one.stopped_s > 0 && seconds(one.to_ns - one.from_ns) - one.stopped_s <=
                                                  kEndsOfStop_s / trace.time_dilation;
    if (!all.empty() && one.from_ns <= all.back().time.end_ns) {
      auto& last = all.back();
      last.time.end_ns = std::max(last.time.end_ns, one.to_ns);
      last.lost_s += one.lost_s;
      last.stopped_s += one.stopped_s;
      last.only_stops = last.only_stops && is_stop;
    } else {
      all.push_back({{one.from_ns, one.to_ns}, one.lost_s, one.stopped_s, is_stop});
    }
  }
  return all;
}

/// What disturbances did to one step.
struct Effect {
  bool is_quiet = true;
  double stopped_s = 0;  ///< of a quiet step
  double lost_s = 0;     ///< at most: a step waits no longer for CPUs than they were taken
};

Effect effect_on(const Step& step, const std::vector<Taken>& taken) {
  Effect effect;
  auto one = std::ranges::partition_point(
      taken, [&](const Taken& before) { return before.time.end_ns <= step.time.start_ns; });
  for (; one != taken.end() && one->time.start_ns < step.time.end_ns; ++one) {
    const Span within{std::max(one->time.start_ns, step.time.start_ns),
                      std::min(one->time.end_ns, step.time.end_ns)};
    const double share = length_s(within) / length_s(one->time);
    effect.lost_s += std::min(length_s(within), share * one->lost_s);
    const bool is_whole =
        within.start_ns == one->time.start_ns && within.end_ns == one->time.end_ns;
    if (one->only_stops && is_whole) {
      effect.stopped_s += one->stopped_s;
    } else {
      effect.is_quiet = false;
    }
  }
  return effect;
}

/// The least time of a step: what its bytes need at the link's rate.
double least_s(const RateLimits& limits, const Step& step) {
  const auto most = limits.between(0, step.time.start_ns, step.time.end_ns).sent;
  if (most <= 0) return 0;
  return std::min(step.step_s, step.step_s * static_cast<double>(step.sent_bytes) / most);
}

/// How often disturbances began, in the time between them.
double rate_per_s(const std::vector<Taken>& taken, const Span& all) {
  double quiet_s = length_s(all);
  double count = 0;
  for (const auto& one : taken) {
    if (one.time.start_ns >= all.end_ns || one.time.end_ns <= all.start_ns) continue;
    count += 1;
    quiet_s -= length_s(
        {std::max(one.time.start_ns, all.start_ns), std::min(one.time.end_ns, all.end_ns)});
  }
  return quiet_s > 0 ? count / quiet_s : 0;
}

constexpr double kLong = 1.5;           // × the median step
constexpr double kMatters = 1.1;        // × the median step: the mean from which long steps matter
constexpr std::size_t kFewestLong = 3;  // long steps at a place
constexpr double kMostAreLong = 0.9;    // of the steps at a place
constexpr double kExplained = 2.0 / 3;

struct Place {
  std::vector<double> steps_s;
  std::vector<double> weights;
  std::size_t long_ones = 0;
};

/// All steps but the first.
struct Later {
  explicit Later(const QuietSteps& quiet) : Later{quiet.steps(), quiet.weights()} {}

  Later(const std::vector<CellRecord::Step>& all, const std::vector<double>& weights_of_all) {
    for (std::size_t i = 1; i < all.size(); ++i) {
      iterations.push_back(all[i].iteration);
      steps_s.push_back(all[i].step_s);
      weights.push_back(weights_of_all[i]);
    }
  }

  double mean_s() const {
    return std::inner_product(steps_s.begin(), steps_s.end(), weights.begin(), 0.0) /
           std::accumulate(weights.begin(), weights.end(), 0.0);
  }

  std::map<std::int64_t, Place> places(std::int64_t period, double long_s) const {
    std::map<std::int64_t, Place> found;
    for (std::size_t i = 0; i < steps_s.size(); ++i) {
      auto& place = found[iterations[i] % period];
      place.steps_s.push_back(steps_s[i]);
      place.weights.push_back(weights[i]);
      place.long_ones += steps_s[i] >= long_s ? 1 : 0;
    }
    return found;
  }

  std::vector<std::int64_t> iterations;
  std::vector<double> steps_s;
  std::vector<double> weights;
};

/// The distance that occurs most often, the shortest of several; 0 without distances.
std::int64_t most_common(const std::vector<std::int64_t>& distances) {
  std::map<std::int64_t, int> counts;
  for (const auto distance : distances) ++counts[distance];
  std::int64_t best = 0;
  for (const auto& [distance, count] : counts) {
    if (best == 0 || count > counts.at(best)) best = distance;
  }
  return best;
}

/// The distances between long steps that may be the period: with one long step in each period, and
/// with two.
std::vector<std::int64_t> candidates(const std::vector<std::int64_t>& long_iterations) {
  std::vector<std::int64_t> found;
  for (std::size_t apart = 1; apart <= 2; ++apart) {
    std::vector<std::int64_t> distances;
    for (std::size_t i = apart; i < long_iterations.size(); ++i) {
      distances.push_back(long_iterations[i] - long_iterations[i - apart]);
    }
    if (const auto distance = most_common(distances); distance > 1) found.push_back(distance);
  }
  return found;
}

std::int64_t period_of(const Later& later) {
  if (later.steps_s.empty()) return 1;
  const double median_s = statistics::weighted_median(later.steps_s, later.weights);
  const double long_s = kLong * median_s;
  std::vector<std::int64_t> long_iterations;
  for (std::size_t i = 0; i < later.steps_s.size(); ++i) {
    if (later.steps_s[i] >= long_s) long_iterations.push_back(later.iterations[i]);
  }
  if (long_iterations.size() < kFewestLong || later.mean_s() < kMatters * median_s) return 1;
  for (const auto period : candidates(long_iterations)) {
    std::size_t explained = 0;
    for (const auto& [number, place] : later.places(period, long_s)) {
      const auto all = static_cast<double>(place.steps_s.size());
      const bool is_long = place.long_ones >= kFewestLong &&
                           static_cast<double>(place.long_ones) >= kMostAreLong * all;
      if (is_long) explained += place.long_ones;
    }
    const auto all_long = static_cast<double>(long_iterations.size());
    if (static_cast<double>(explained) >= kExplained * all_long) return period;
  }
  const auto half = (later.iterations.front() + later.iterations.back()) / 2;
  const auto in_second_half = std::ranges::count_if(
      long_iterations, [&](std::int64_t iteration) { return iteration > half; });
  return 3 * in_second_half < std::ssize(long_iterations) ? 1 : 0;
}

}  // namespace

QuietSteps::QuietSteps(std::vector<Step> steps, const std::optional<MachineTrace>& machine,
                       const RateLimits& limits)
    : steps_{std::move(steps)}, weights_(steps_.size(), 1.0) {
  if (!machine || machine->disturbances.empty() || steps_.empty()) return;
  const auto all = steps_;
  const auto taken = joined(*machine);
  const Span whole{all.front().time.start_ns, all.back().time.end_ns};
  const double starts_per_s = rate_per_s(taken, whole);
  std::size_t quiet = 0;
  steps_.clear();
  weights_.clear();
  repairs_.resize(all.size());
  double clock_s = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto effect = effect_on(all[i], taken);
    auto step = all[i];
    const double between_s = all[i].clock_s - (i == 0 ? 0 : all[i - 1].clock_s) - all[i].step_s;
    if (effect.is_quiet) {
      step.step_s = std::max(least_s(limits, step), step.step_s - effect.stopped_s);
      repairs_[i].added_s = all[i].step_s - step.step_s;
      quiet += i == 0 ? 0 : 1;
    } else {
      ++disturbed_;
      repairs_[i].uncertain_s = std::min(effect.lost_s, all[i].step_s - least_s(limits, all[i]));
    }
    if (i > 0 && !effect.is_quiet) continue;  // the first step, which starts apart, stays
    clock_s += between_s + step.step_s;
    step.clock_s = clock_s;
    steps_.push_back(step);
    weights_.push_back(std::exp(starts_per_s * all[i].step_s));
  }
  const bool is_untouched =
      disturbed_ == 0 &&
      std::ranges::all_of(repairs_, [](const Repair& repair) { return repair.added_s <= 0; });
  enough_ = disturbed_ == 0 || quiet >= kFewest;
  if (is_untouched || !enough_) {
    steps_ = all;
    weights_.assign(all.size(), 1.0);
    for (auto& repair : repairs_) repair.added_s = 0;
    return;
  }
  note_alike();
  repair_each(all);
}

/// Computes the mean of the disturbed steps that sent equally many bytes, from quiet ones. The
/// first step, which starts apart, stands for no other. Of 1 / p steps like a quiet one, p its
/// chance to escape, 1 / p - 1 were disturbed.
void QuietSteps::note_alike() {
  std::map<std::int64_t, std::vector<std::size_t>> places;
  for (std::size_t i = 1; i < steps_.size(); ++i) {
    places[steps_[i].expected_sent_bytes].push_back(i);
  }
  std::size_t most = 2;
  for (const auto& [sent_bytes, group] : places) {
    most = std::max(most, group.size());
    Alike alike;
    const auto weight = [&](std::size_t i) { return weights_[i] > 1 ? weights_[i] - 1 : 1e-9; };
    double sum = 0;
    for (const auto i : group) {
      sum += weight(i);
      alike.mean_s += weight(i) * steps_[i].step_s;
    }
    alike.mean_s /= sum;
    double of_steps = 0;
    double of_mean = 0;
    for (const auto i : group) {
      const double off_s = steps_[i].step_s - alike.mean_s;
      of_steps += weight(i) * off_s * off_s;
      of_mean += weight(i) * weight(i) * off_s * off_s;
    }
    const auto n = static_cast<double>(group.size());
    // One quiet step says nothing of how far others are from it.
    const double correction = n > 1 ? n / (n - 1) : 1;
    alike.deviation_s = n > 1 ? std::sqrt(correction * of_steps / sum) : alike.mean_s;
    alike.error_s = n > 1 ? std::sqrt(correction * of_mean) / sum : alike.mean_s;
    alike_[sent_bytes] = alike;
  }
  quantile_ = boost::math::quantile(boost::math::students_t{static_cast<double>(most - 1)}, 0.975);
}

void QuietSteps::repair_each(const std::vector<Step>& all) {
  for (std::size_t i = 1; i < all.size(); ++i) {
    auto& repair = repairs_[i];
    if (repair.uncertain_s <= 0) continue;
    const auto alike = alike_.find(all[i].expected_sent_bytes);
    if (alike == alike_.end()) continue;
    repair = {all[i].step_s - alike->second.mean_s, 0, &alike->second};
  }
}

QuietSteps::Added QuietSteps::added_until(std::int64_t iteration) const {
  Added added;
  std::map<const Alike*, double> replaced;
  const auto end = std::min<std::int64_t>(iteration, std::ssize(repairs_));
  for (std::int64_t i = 0; i < end; ++i) {
    const auto& repair = repairs_[static_cast<std::size_t>(i)];
    added.s += repair.added_s;
    added.high_s += repair.uncertain_s;
    if (repair.mean != nullptr) replaced[repair.mean] += 1;
  }
  double variance = 0;
  for (const auto& [alike, n] : replaced) {
    variance +=
        n * n * alike->error_s * alike->error_s + n * alike->deviation_s * alike->deviation_s;
  }
  const double half_s = quantile_ * std::sqrt(variance);
  added.low_s = added.s - half_s;
  added.high_s += added.s + half_s;
  return added;
}

std::int64_t period_of(const QuietSteps& quiet, const std::vector<CellRecord::Step>& all) {
  const auto of_quiet = period_of(Later{quiet});
  if (of_quiet > 1 || quiet.disturbed() == 0) return of_quiet;
  const auto of_all = period_of(Later{all, std::vector<double>(all.size(), 1)});
  return of_all > 1 ? of_all : of_quiet;
}

std::optional<double> step_over_periods_s(const QuietSteps& quiet, std::int64_t period) {
  const Later later{quiet};
  if (later.steps_s.empty()) return std::nullopt;
  if (period == 0) return later.mean_s();
  auto places = later.places(period, 0);
  const auto& first = quiet.steps().front();
  auto& place_of_first = places[first.iteration % period];
  if (place_of_first.steps_s.empty()) place_of_first = {{first.step_s}, {1}};
  if (std::ssize(places) < period) return std::nullopt;
  double sum_s = 0;
  for (const auto& [number, place] : places) {
    sum_s += statistics::weighted_median(place.steps_s, place.weights);
  }
  return sum_s / static_cast<double>(period);
}

}  // namespace pacbench::record
