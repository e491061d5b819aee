#pragma once

#include "analysis/report/merge.h"
#include "analysis/report/report.h"

namespace pacbench::report {

/// Fills in where the TTA of each seed lies (TargetSummary::crossings): from the evaluation before
/// the one that reached the target, at least 0.001 × the TTA, to the TTA that was recorded. Where
/// disturbances were taken off the clock, both ends move outwards by what is unknown of the TTA.
///
/// The evaluation before lies `evaluate_every` steps earlier. A user's own program alone does not
/// say how often it evaluates: its evaluations are read from the recorded curves of the runs, and
/// nothing is known before the first. Throws what store::read_curve throws.
void fill_crossings(const MergedRuns& group, LinkReport& link);

}  // namespace pacbench::report
