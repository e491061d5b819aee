#include "analysis/reproduce/contrast.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/reproduce/arms.h"
#include "contract/result/step_time.h"
#include "harness/statistics/interval.h"

namespace pacbench::reproduce {
namespace {

constexpr auto kNever = std::numeric_limits<double>::infinity();

std::optional<Estimate> estimate(const std::optional<report::SpeedUp>& speed_up,
                                 std::size_t seeds) {
  if (!speed_up) return std::nullopt;
  std::optional<Estimate> found{std::in_place};
  found->value = speed_up->value;
  found->interval = speed_up->interval;
  if (seeds > 1) found->range = speed_up->range;
  return found;
}

bool same_seeds(const report::TimesOfSeeds& one, const report::TimesOfSeeds& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const auto& left, const auto& right) { return left.first == right.first; });
}

const report::TargetSummary* find_target(const report::ReportRow& row, double accuracy) {
  const auto found = std::find_if(row.targets.begin(), row.targets.end(),
                                  [&](const report::TargetSummary& target) {
                                    return target.target == Target{kAccuracy, accuracy};
                                  });
  return found == row.targets.end() ? nullptr : &*found;
}

/// The row whose targets set the target of a claim that names none: the link's first all-reduce, or
/// the baseline where there is none.
const report::ReportRow& yardstick(const Contrast& contrast) {
  const auto* found = report::first_of(contrast.link.link->rows, "all-reduce");
  return found == nullptr ? contrast.base : *found;
}

std::optional<double> target_accuracy(const Contrast& contrast) {
  if (contrast.claim.population.target) return contrast.claim.population.target;
  std::optional<double> highest;
  for (const auto& target : yardstick(contrast).targets) {
    if (!target.iterations.median || target.target.metric != kAccuracy) continue;
    highest = std::max(highest.value_or(0), target.target.value);
  }
  return highest;
}

/// The estimate when only one of the two rows reached the target, which needs no times.
std::optional<Estimate> one_sided(const statistics::CensoredSpread& base,
                                  const statistics::CensoredSpread& own) {
  if (base.total == 0 || own.total == 0) return std::nullopt;
  if (own.median.has_value() == base.median.has_value()) return std::nullopt;
  return Estimate{own.median ? kNever : 0, std::nullopt, std::nullopt};
}

/// Adds the interval from opposite ends of both sides' intervals. If anything, it covers more than
/// 95 %.
void add_scatter_of_steps(const std::optional<report::Ends>& base,
                          const std::optional<report::Ends>& own, std::optional<Estimate>& ratio) {
  if (!ratio || ratio->interval || !base || !own) return;
  ratio->interval = {base->low_s / own->high_s, base->high_s / own->low_s};
  ratio->is_of_steps = true;
}

/// Adds the range of the ratio over several runs, from opposite ends of both sides. A side with one
/// run has its time at both ends.
void add_spread_of_runs(const std::optional<report::Ends>& base, double base_s,
                        const std::optional<report::Ends>& own, double own_s,
                        std::optional<Estimate>& ratio) {
  if (!ratio || (!base && !own)) return;
  const auto theirs = base.value_or(report::Ends{base_s, base_s});
  const auto mine = own.value_or(report::Ends{own_s, own_s});
  if (mine.low_s <= 0) return;
  ratio->of_runs = {theirs.low_s / mine.high_s, theirs.high_s / mine.low_s};
}

std::optional<double> over(const std::optional<statistics::Spread>& base,
                           const std::optional<statistics::Spread>& own) {
  if (!base || !own || own->median <= 0) return std::nullopt;
  return base->median / own->median;
}

/// Makes an estimate without an interval from a ratio of bytes, since bytes hardly differ between
/// seeds.
std::optional<Estimate> without_scatter(const std::optional<double>& ratio) {
  if (!ratio) return std::nullopt;
  return Estimate{*ratio, std::nullopt, std::nullopt};
}

}  // namespace

const report::TargetSummary* Contrast::target() const {
  const auto accuracy = target_accuracy(*this);
  return accuracy ? find_target(own, *accuracy) : nullptr;
}

const report::TargetSummary* Contrast::base_target() const {
  const auto accuracy = target_accuracy(*this);
  return accuracy ? find_target(base, *accuracy) : nullptr;
}

std::optional<Estimate> step_ratio(const MeasuredLink& link, const report::ReportRow& own,
                                   const report::ReportRow& base) {
  if (!report::is_timed(*link.section)) return std::nullopt;
  const auto mine = link.of_seeds(own.label, &step_time_s);
  const auto theirs = link.of_seeds(base.label, &step_time_s);
  if (mine.empty() || !same_seeds(theirs, mine)) return std::nullopt;
  auto ratio = estimate(report::speed_up_of(theirs, mine), mine.size());
  add_scatter_of_steps(base.time_of_steps_s, own.time_of_steps_s, ratio);
  add_spread_of_runs(
      base.time_of_runs_s, base.time_per_iteration_s ? base.time_per_iteration_s->median : 0,
      own.time_of_runs_s, own.time_per_iteration_s ? own.time_per_iteration_s->median : 0, ratio);
  return ratio;
}

std::optional<Estimate> step_ratio(const Contrast& contrast) {
  return step_ratio(contrast.link, contrast.own, contrast.base);
}

std::optional<Estimate> mean_step_ratio(const Contrast& contrast) {
  if (!report::is_timed(*contrast.link.section)) return std::nullopt;
  const auto mine = contrast.link.of_seeds(contrast.own.label, &mean_iteration_s);
  const auto theirs = contrast.link.of_seeds(contrast.base.label, &mean_iteration_s);
  if (mine.empty() || !same_seeds(theirs, mine)) return std::nullopt;
  return estimate(report::speed_up_of(theirs, mine), mine.size());
}

std::optional<Estimate> time_ratio(const Contrast& contrast) {
  const auto* own = contrast.target();
  const auto* base = contrast.base_target();
  if (!contrast.link.has_curve || own == nullptr || base == nullptr) return std::nullopt;
  if (const auto ratio = one_sided(base->iterations, own->iterations)) return ratio;
  const auto& times = own->tta_s_of_seeds;
  if (times.empty() || !same_seeds(base->tta_s_of_seeds, times)) return std::nullopt;
  auto ratio = estimate(report::speed_up_of(*base, *own), times.size());
  add_scatter_of_steps(base->tta_of_steps_s, own->tta_of_steps_s, ratio);
  add_spread_of_runs(base->tta_of_runs_s, base->tta_s.median.value_or(0), own->tta_of_runs_s,
                     own->tta_s.median.value_or(0), ratio);
  return ratio;
}

std::optional<Estimate> accuracy_lost(const Contrast& contrast) {
  if (!contrast.link.has_curve) return std::nullopt;
  const auto own = contrast.link.of_seeds(contrast.own.label, &CellResult::final_accuracy);
  const auto base = contrast.link.of_seeds(contrast.base.label, &CellResult::final_accuracy);
  if (own.empty() || !same_seeds(base, own)) return std::nullopt;
  std::vector<double> lost;
  for (const auto& [seed, accuracy] : own) lost.push_back(100 * (*base.at(seed) - *accuracy));
  Estimate found{statistics::median(lost), std::nullopt, std::nullopt};
  const auto all = statistics::spread(lost);
  if (lost.size() > 1) found.range = {all.minimum, all.maximum};
  const auto interval = statistics::median_interval({lost.begin(), lost.end()});
  if (interval) found.interval = {interval->low, interval->high};
  return found;
}

std::optional<Estimate> ring_traffic(const Contrast& contrast) {
  const double workers = contrast.link.section->scenario.at("workers");
  auto found = without_scatter(
      over(contrast.own.measured_bytes_per_iteration, contrast.own.payload_bytes_per_iteration));
  if (found) found->value = found->value * workers / (2 * (workers - 1));
  return found;
}

std::optional<Estimate> bytes_saved(const Contrast& contrast) {
  return without_scatter(
      over(contrast.base.measured_bytes_per_iteration, contrast.own.measured_bytes_per_iteration));
}

std::optional<Estimate> trunk_bytes_saved(const Contrast& contrast) {
  return without_scatter(
      over(contrast.base.trunk_bytes_per_iteration, contrast.own.trunk_bytes_per_iteration));
}

std::optional<Estimate> build_up(const Contrast& contrast) {
  const auto& density = contrast.own.density;
  const auto& method = contrast.link.method(contrast.own.label);
  if (!density || !method.contains("ratio")) return std::nullopt;
  const double chosen = method.at("ratio");
  Estimate found{density->median / chosen, std::nullopt, std::nullopt};
  if (contrast.own.seeds.size() > 1) {
    found.range = {density->minimum / chosen, density->maximum / chosen};
  }
  return found;
}

std::optional<Estimate> imbalance(const Contrast& contrast) {
  const double workers = contrast.link.section->scenario.at("workers");
  if (contrast.link.setting.mode != Mode::kLearn || workers < 3) return std::nullopt;
  const auto sent =
      contrast.link.of_seeds(contrast.own.label, &CellResult::expected_bytes_per_iteration);
  std::vector<double> of_seeds;
  for (const auto& [seed, payload] :
       contrast.link.of_seeds(contrast.own.label, &CellResult::payload_bytes_per_iteration)) {
    const auto by_ring = *payload * 2 * (workers - 1) / workers;
    const auto gathered = (*sent.at(seed) - by_ring) / ((workers - 1) * (1 - 2 / workers));
    if (gathered >= *payload) return std::nullopt;  // nothing is summed
    of_seeds.push_back(workers * gathered / (*payload - gathered));
  }
  if (of_seeds.empty()) return std::nullopt;
  const auto all = statistics::spread(of_seeds);
  Estimate found{all.median, std::nullopt, std::nullopt};
  if (of_seeds.size() > 1) found.range = {all.minimum, all.maximum};
  return found;
}

std::optional<Estimate> measured_quantity(const Contrast& contrast) {
  switch (contrast.claim.quantity) {
    case Quantity::kTimeToAccuracy:
      return time_ratio(contrast);
    case Quantity::kThroughput:
      return step_ratio(contrast);
    case Quantity::kMeanThroughput:
      return mean_step_ratio(contrast);
    case Quantity::kAccuracyLost:
      return accuracy_lost(contrast);
    case Quantity::kRingTraffic:
      return ring_traffic(contrast);
    case Quantity::kBytesSaved:
      return bytes_saved(contrast);
    case Quantity::kTrunkBytesSaved:
      return trunk_bytes_saved(contrast);
    case Quantity::kBuildUp:
      return build_up(contrast);
    case Quantity::kImbalance:
      return imbalance(contrast);
  }
  return std::nullopt;
}

std::optional<double> bytes_ratio(const Contrast& contrast) {
  return over(contrast.base.expected_bytes_per_iteration,
              contrast.own.expected_bytes_per_iteration);
}

std::optional<double> iterations_ratio(const Contrast& contrast) {
  const auto* own = contrast.target();
  const auto* base = contrast.base_target();
  if (!contrast.link.has_curve || own == nullptr || base == nullptr) return std::nullopt;
  const auto& mine = own->iterations.median;
  const auto& theirs = base->iterations.median;
  return mine && theirs && *mine > 0 ? std::optional{*theirs / *mine} : std::nullopt;
}

bool has_ring_base(const Contrast& contrast) {
  if (contrast.base.method == "all-reduce") return true;
  // Scenarios of an earlier pacbench may lack "sum". They used a ring.
  return contrast.base.method == "fp16" &&
         contrast.link.method(contrast.base.label).value("sum", "ring") == "ring";
}

std::optional<double> time_ratio_limit(const Contrast& contrast) {
  if (!has_ring_base(contrast)) return std::nullopt;
  auto limit = bytes_ratio(contrast);
  if (!limit) return std::nullopt;
  if (const auto step = step_ratio(contrast)) limit = std::max(*limit, step->value);
  const auto iterations = iterations_ratio(contrast);
  if (contrast.link.has_curve && !iterations) return std::nullopt;  // a side missed the target
  return *limit * iterations.value_or(1);
}

}  // namespace pacbench::reproduce
