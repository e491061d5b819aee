#include "harness/record/quiet_steps.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "base/clock.h"
#include "harness/record/spans.h"

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
  auto one = std::partition_point(taken.begin(), taken.end(), [&](const Taken& before) {
    return before.time.end_ns <= step.time.start_ns;
  });
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

/// Whether the effect leaves the first step, which starts apart, or a quiet one.
bool stays(std::size_t index, const Effect& effect) { return index == 0 || effect.is_quiet; }

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
    if (!stays(i, effect)) continue;
    clock_s += between_s + step.step_s;
    step.clock_s = clock_s;
    steps_.push_back(step);
    weights_.push_back(std::exp(starts_per_s * all[i].step_s));
  }
  const bool is_untouched =
      disturbed_ == 0 && std::all_of(repairs_.begin(), repairs_.end(),
                                     [](const Repair& repair) { return repair.added_s <= 0; });
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

}  // namespace pacbench::record
