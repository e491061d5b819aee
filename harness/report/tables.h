#pragma once

#include "harness/report/report.h"
#include "harness/table.h"

namespace pacbench::report {

class Footnotes;

/// Whether the table of times shows intervals, or ranges in their place; neither of one seed.
bool has_intervals(const LinkReport& link);
bool has_ranges(const LinkReport& link);

/// Whether any row has the best of several settings.
bool any_is_tuned(const LinkReport& link);

/// Whether it shows how far the scatter of one seed's steps leaves its times open: mode compose.
bool has_intervals_of_steps(const LinkReport& link);

/// Whether it shows how far several runs of the same cells are apart.
bool has_several_runs(const LinkReport& link);

/// Time to accuracy: per target the median over seeds, interval or range, how many got there, and
/// speed-ups.
Table time_to_accuracy_table(const LinkReport& link);

/// What times to accuracy are made of: time per iteration × iterations, and what lies beyond.
Table decomposition_table(const LinkReport& link);

/// Of runs without a curve: time per iteration, and how many times as fast as the baselines'.
Table step_table(const LinkReport& link);

/// What an iteration costs, what was sent, and how far to trust it.
Table cost_table(const LinkReport& link, const Footnotes& footnotes);

/// Without times: iterations to each target, accuracies, how near the aggregated gradient came to
/// the exact mean, and the bytes that the method declares.
Table learning_table(const LinkReport& link, const Footnotes& footnotes);

}  // namespace pacbench::report
