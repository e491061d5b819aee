#include "analysis/adapt/gain.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

#include "base/errors.h"

namespace pacbench::adapt {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

/// The time at a rate, on the straight line over 1 / rate through the times at two measured rates.
double on_line(double rate_mbit, const std::pair<const double, double>& slower,
               const std::pair<const double, double>& faster) {
  const auto x = (1 / rate_mbit - 1 / faster.first) / (1 / slower.first - 1 / faster.first);
  return faster.second + x * (slower.second - faster.second);
}

[[noreturn]] void refuse(const std::string& source, const std::string& problem) {
  throw ConfigError{source, {{"", problem}}};
}

/// The links of the section, which must be one sweep over rates.
report::RateSweep sweep_of(const std::string& source, const report::ReportSection& section) {
  if (!has_network(section)) {
    refuse(source, "found a run in mode learn, expected one over links of several rates");
  }
  const auto sweeps = report::rate_sweeps(section);
  if (sweeps.size() == 1 && sweeps.front().size() == section.links.size()) return sweeps.front();
  refuse(source, fmt::format("found {} links that are no sweep over rates; expected at least two "
                             "links that differ in nothing but a constant rate, each rate once",
                             section.links.size()));
}

/// The rows with this label, one for each link of the sweep. Empty unless all cells are done over
/// links as declared, all seeds reached the target, and all rows have the seeds of `first` (if
/// null: those of the first link's row).
std::vector<const report::ReportRow*> rows_that_count(const report::RateSweep& sweep,
                                                      const std::string& label, std::size_t target,
                                                      const report::ReportRow* first) {
  std::vector<const report::ReportRow*> rows;
  for (const auto* link : sweep) {
    const auto* row = report::find_row(link->rows, label);
    if (row == nullptr || !report::comparable(*row, first == nullptr ? *row : *first)) return {};
    const auto& times = row->targets[target].tta_s_of_seeds;
    const auto missed = [](const auto& of_seed) { return !of_seed.second; };
    if (times.empty() || std::ranges::any_of(times, missed)) return {};
    rows.push_back(row);
    first = rows.front();
  }
  return rows;
}

/// Index of the arm that is the fastest at a rate.
std::size_t fastest_of(const std::vector<Arm>& arms, double rate_mbit) {
  const auto found =
      std::ranges::min_element(arms, {}, [&](const Arm& arm) { return arm.tta_at(rate_mbit); });
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

double Arm::tta_at(double rate_mbit) const {
  if (tta_s.empty()) throw std::invalid_argument{"an arm without a time"};
  if (rate_mbit <= 0) throw std::invalid_argument{"a rate that is not above 0"};
  if (tta_s.size() == 1 || rate_mbit >= tta_s.rbegin()->first) return tta_s.rbegin()->second;
  auto faster = tta_s.upper_bound(rate_mbit);
  const bool is_below = faster == tta_s.begin();
  if (is_below) ++faster;
  const double time_s = on_line(rate_mbit, *std::prev(faster), *faster);
  // If scatter made the time at the lowest rate shorter than that at the next rate, the line gives
  // still shorter times below the lowest rate.
  return is_below ? std::max(time_s, tta_s.begin()->second) : time_s;
}

Arms arms_of(const std::string& source, const report::ReportSection& section, std::size_t target) {
  const auto sweep = sweep_of(source, section);
  const auto& candidates = sweep.front()->rows;
  const auto targets = candidates.empty() ? 0 : candidates.front().targets.size();
  if (target >= targets) {
    refuse(source,
           fmt::format("found {} targets, expected at least {} (--target)", targets, target + 1));
  }
  Arms arms;
  arms.target = candidates.front().targets[target].target;
  for (const auto* link : sweep) arms.rates_mbit.push_back(link->rate_mbit);
  const report::ReportRow* first = nullptr;
  for (const auto& candidate : candidates) {
    const auto rows = rows_that_count(sweep, candidate.label, target, first);
    if (rows.empty()) {
      arms.left_out.push_back(candidate.label);
      continue;
    }
    first = rows.front();
    Arm median{candidate.label, {}};
    std::vector<Arm> seeds(first->targets[target].tta_s_of_seeds.size(), median);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<double> times;
      for (const auto& [seed, tta_s] : rows[i]->targets[target].tta_s_of_seeds) {
        seeds[times.size()].tta_s[arms.rates_mbit[i]] = *tta_s;
        times.push_back(*tta_s);
      }
      median.tta_s[arms.rates_mbit[i]] = statistics::median(times);
    }
    arms.medians.push_back(std::move(median));
    arms.of_seeds.resize(seeds.size());
    for (std::size_t i = 0; i < seeds.size(); ++i) arms.of_seeds[i].push_back(std::move(seeds[i]));
  }
  if (arms.medians.empty()) {
    refuse(source,
           fmt::format("found no method whose seeds all reached {} at every rate over links as "
                       "declared, expected at least one",
                       words_of(arms.target)));
  }
  return arms;
}

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
  const auto single = static_cast<std::size_t>(std::ranges::min_element(alone) - alone.begin());
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
    std::ranges::sort(order, {}, [&](const Arm& arm) { return arm.tta_at(rate); });
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
