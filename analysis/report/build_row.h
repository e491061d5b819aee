#pragma once

#include <optional>
#include <vector>

#include "analysis/report/row.h"
#include "contract/result/result.h"

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

}  // namespace pacbench::report
