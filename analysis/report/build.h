#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/report/report.h"

/// The steps of build_report(), each in a file of its own.
namespace pacbench::report {

/// The facts that all rows of a link share.
struct RowContext {
  std::vector<Target> targets;  ///< a done cell counts only for those that it looked for
  bool timed = true;            ///< otherwise the row has no times
  bool learned = true;          ///< otherwise the row has no accuracy, and its targets no numbers
  /// The rate of the slower direction of every worker's link. Absent if workers differ, the rate
  /// moves or a load shares it.
  std::optional<double> steady_mbit;
  /// Where clocks are composed of exchanges that were measured apart: the iterations from one
  /// evaluation to the next. 0 elsewhere.
  std::int64_t composed_every = 0;
};

/// Builds the row of one method over one link from all its cells. `method` is the entry of the
/// canonical scenario; `repeats` are all measurements of the cells that several runs have.
ReportRow build_row(const Json& method, const std::vector<const CellResult*>& cells,
                    const std::vector<const CellResult*>& repeats, const RowContext& context);

/// Removes the numbers of a step from a row whose exchanged iterations are others than those of the
/// training (ReportRow::step_is_other), so that no table contradicts its times to accuracy.
void forget_step(ReportRow& row);

/// Fills in where the TTA of each seed lies (TargetSummary::crossings): from the evaluation before
/// the one that reached the target, at least 0.001 × the TTA, to the TTA that was recorded. Where
/// disturbances were taken off the clock, both ends move outwards by what is unknown of the TTA.
///
/// The evaluation before lies `evaluate_every` steps earlier. A user's own program alone does not
/// say how often it evaluates: its evaluations are read from the recorded curves of the runs, and
/// nothing is known before the first. Throws what store::read_curve throws.
void fill_crossings(const MergedRuns& group, LinkReport& link);

/// The notes to one method over one link: cells that are not done, and why; verdicts with their
/// reasons; the range over several runs. Where weights were pruned, or exchanges were dense for
/// lack of a mask, the last note says what pruning left, how long it took where `timed`, when all
/// buckets were first compacted, and how much the masks of two seeds overlap.
std::vector<std::string> row_notes(const std::vector<const CellResult*>& cells,
                                   const ReportRow& row, bool timed);

/// Extends the last note of the row of each method that prunes. The note then says after how many
/// iterations shorter steps have won back what the row spends beyond median steps and the baseline
/// does not. The baselines are all-reduce and fp16.
/// Rows without times, without a comparable baseline, or with over 30 % dense exchanges are left
/// alone.
void add_break_even_notes(std::vector<ReportRow>& rows);

/// The notes to a section: slow workers, its mode and how to read it, pre-training before the
/// clock.
std::vector<std::string> section_notes(const ReportSection& section);

/// Adds a diagnosis to each row that takes longer than its baseline to the last target that a
/// baseline reached, or never reaches this target. The diagnosis says why, by the rules of
/// docs/METRICS.md. Of the link's first all-reduce row and first fp16 row, the baseline is the one
/// that reached this target first. Rows of all-reduce and of a user's own program get no diagnosis,
/// nor do rows that cannot be compared with a baseline.
void add_diagnoses(std::vector<ReportRow>& rows, int workers);

}  // namespace pacbench::report
