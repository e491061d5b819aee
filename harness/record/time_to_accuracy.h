#pragma once

#include <vector>

#include "contract/result/result.h"
#include "harness/record/quiet_steps.h"
#include "harness/record/record.h"

namespace pacbench::record {

/// When a curve crossed `target` (contract/result/crossing.h), without a time if it did not.
/// `ended`: nothing will be added to the curve. `stops_itself`: it is the curve of a program that
/// may have ended because it reached its target; so a crossing in the last evaluation counts,
/// unconfirmed.
TargetResult target_result_of(const std::vector<EvaluationEvent>& curve, const Target& target,
                              bool ended, bool stops_itself);

/// When the cell's curve crossed each target of the scenario, in the scenario's order. What
/// disturbances of the machine added is taken off. Where that is so, and where times are composed,
/// each time has an interval, which follows from the scatter of measured steps.
std::vector<TargetResult> times_to_targets(const Scenario& scenario, const CellRecord& record,
                                           const QuietSteps& quiet, bool ended, bool stops_itself);

}  // namespace pacbench::record
