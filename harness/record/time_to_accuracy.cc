#include "harness/record/time_to_accuracy.h"

#include <algorithm>

#include "contract/result/crossing.h"
#include "harness/record/composed_clock.h"

namespace pacbench::record {
namespace {

void add_intervals(std::vector<TargetResult>& targets, const Scenario& scenario,
                   const CellRecord& record) {
  if (!record.training() || record.curve().empty()) return;
  const auto clock = composed_clock(scenario, record);
  for (auto& target : targets) {
    if (!target.iterations) continue;
    const auto interval = clock.interval(*target.iterations);
    target.tta_low_s = interval.low;
    target.tta_high_s = interval.high;
  }
}

/// Takes off what disturbances added until each crossing.
void repair(std::vector<TargetResult>& targets, const QuietSteps& quiet) {
  for (auto& target : targets) {
    if (!target.tta_s) continue;
    const auto added = quiet.added_until(*target.iterations);
    if (added.s == 0 && added.high_s <= 0) continue;
    const double clock_s = *target.tta_s;
    if (added.s != 0) target.tta_unrepaired_s = clock_s;
    target.tta_s = std::max(0.0, clock_s - added.s);
    target.tta_low_s = std::max(0.0, clock_s - added.high_s);
    target.tta_high_s = clock_s - added.low_s;
  }
}

}  // namespace

TargetResult target_result_of(const std::vector<EvaluationEvent>& curve, const Target& target,
                              bool ended, bool stops_itself) {
  const auto place = first_crossing(curve, target, ended);
  if (!place && ended && stops_itself && !curve.empty() && reaches(curve.back(), target)) {
    TargetResult last{target, curve.back().training_s, curve.back().iteration};
    last.unconfirmed = true;
    return last;
  }
  if (!place) return {target, std::nullopt, std::nullopt};
  return {target, curve[*place].training_s, curve[*place].iteration};
}

std::vector<TargetResult> times_to_targets(const Scenario& scenario, const CellRecord& record,
                                           const QuietSteps& quiet, bool ended, bool stops_itself) {
  std::vector<TargetResult> targets;
  for (const auto& target : scenario.targets) {
    targets.push_back(target_result_of(record.curve(), target, ended, stops_itself));
  }
  scenario.compose ? add_intervals(targets, scenario, record) : repair(targets, quiet);
  return targets;
}

}  // namespace pacbench::record
