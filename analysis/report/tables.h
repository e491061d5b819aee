#pragma once

#include "analysis/report/report.h"
#include "harness/text/table.h"

namespace pacbench::report {

class Footnotes;

/// Whether the link's rows are programs of the user's own, which report few numbers.
bool is_of_programs(const LinkReport& link);

/// Whether some or all rows that have numbers are programs that reported no steps, so that their
/// numbers are of the whole program.
bool any_is_whole(const LinkReport& link);
bool all_are_whole(const LinkReport& link);

/// The heading of the last accuracy or loss: "at stop" where training of any row stopped at the
/// target, else "final".
std::string final_heading(const LinkReport& link);

/// Whether no row has an accuracy and some have a loss: rows of programs that report only a loss.
bool has_losses_alone(const LinkReport& link);

/// Whether the table of times shows intervals, or ranges in their place; with one seed it shows
/// neither.
bool has_intervals(const LinkReport& link);
bool has_ranges(const LinkReport& link);

/// Whether any row has the best of several settings.
bool any_is_tuned(const LinkReport& link);
/// Whether rows of the link were measured in different runs.
bool is_of_several_runs(const LinkReport& link);

/// Whether the table of times shows intervals from the scatter of one seed's steps.
bool has_intervals_of_steps(const LinkReport& link);

/// Whether the table of times shows the range over several runs of the same cells.
bool has_several_runs(const LinkReport& link);

/// Time to accuracy: per target the median over seeds, interval or range, how many seeds reached
/// the target, and speed-ups.
Table time_to_accuracy_table(const LinkReport& link);

/// The parts of times to accuracy: time per iteration × iterations, and the time beyond that
/// product.
Table decomposition_table(const LinkReport& link);

/// The table for runs without a curve: time per iteration, and its speed-up over the baselines.
Table step_table(const LinkReport& link);

/// All of users' own programs without a curve: time, its speed-up over the first row, the bytes
/// sent and the time that they need at the link's rate, and the verdicts.
Table program_table(const LinkReport& link, const Footnotes& footnotes);

/// The cost of an iteration, the bytes sent, the last and best accuracy, the quality of gradients,
/// and the verdicts.
Table cost_table(const LinkReport& link, const Footnotes& footnotes);

/// The table for runs without times: iterations to each target, accuracies, how near the aggregated
/// gradient came to the exact mean, and the bytes that the method declares.
Table learning_table(const LinkReport& link, const Footnotes& footnotes);

}  // namespace pacbench::report
