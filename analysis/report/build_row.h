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
};

/// Builds the row of one method over one link from all its cells. `method` is the entry of the
/// canonical scenario; `repeats` are all measurements of the cells that several runs have.
ReportRow build_row(const Json& method, const std::vector<const CellResult*>& cells,
                    const std::vector<const CellResult*>& repeats, const RowContext& context);

}  // namespace pacbench::report
