#pragma once

#include "analysis/report/merge.h"
#include "analysis/report/report.h"

namespace pacbench::report {

/// Fills in when each seed was last evaluated before it reached a target
/// (TargetSummary::evaluated_before_s), from the recorded curves of the runs. It is for a user's
/// own program alone, whose scenario does not say how often it evaluates. Throws what
/// store::read_curve throws.
void fill_evaluations(const MergedRuns& group, LinkReport& link);

}  // namespace pacbench::report
