#pragma once

#include <optional>
#include <vector>

#include "analysis/report/row.h"
#include "contract/result/result.h"

namespace pacbench::report {

/// The facts that all rows of a link share.
struct RowContext {
  std::vector<Target> targets;        ///< those that a cell did not look for count nowhere
  bool timed = true;                  ///< otherwise nothing of time
  bool learned = true;                ///< otherwise nothing of accuracy, and no target either
  std::optional<double> steady_mbit;  ///< of every worker at all times; absent when there is none
};

/// The row of one method over one link from all cells that it has there. `method` is the entry of
/// the canonical scenario; `repeats`, all measurements of those of the cells that several runs
/// have.
ReportRow build_row(const Json& method, const std::vector<const CellResult*>& cells,
                    const std::vector<const CellResult*>& repeats, const RowContext& context);

}  // namespace pacbench::report
