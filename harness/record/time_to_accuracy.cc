#include "harness/record/time_to_accuracy.h"

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

}  // namespace

TargetResult target_result_of(const std::vector<EvaluationEvent>& curve, const Target& target,
                              bool ended) {
  const auto place = first_crossing(curve, target, ended);
  if (!place) return {target, std::nullopt, std::nullopt};
  return {target, curve[*place].training_s, curve[*place].iteration};
}

std::vector<TargetResult> times_to_targets(const Scenario& scenario, const CellRecord& record,
                                           bool ended) {
  std::vector<TargetResult> targets;
  for (const auto& target : scenario.targets) {
    targets.push_back(target_result_of(record.curve(), target, ended));
  }
  if (scenario.compose) add_intervals(targets, scenario, record);
  return targets;
}

}  // namespace pacbench::record
