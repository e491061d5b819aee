#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/report/row.h"

namespace pacbench::report {

/// A row, and a baseline that reached a target. Both have done cells and times. causes_of() is
/// called only where the row reached this target later than the baseline, or not at all.
struct Contest {
  const ReportRow& row;
  const ReportRow& base;
  std::size_t index = 0;  ///< of the target
  int workers = 0;

  const TargetSummary& target() const { return row.targets[index]; }
  const TargetSummary& base_target() const { return base.targets[index]; }
  double step_ratio() const;                       ///< time per iteration / the baseline's
  std::optional<double> iterations_ratio() const;  ///< to the target; absent for a DNF
};

/// Every rule of docs/METRICS.md ("Why a method loses") that applies, in the order of that table.
std::vector<Cause> causes_of(const Contest& contest);

}  // namespace pacbench::report
