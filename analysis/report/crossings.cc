#include "analysis/report/evaluations.h"

#include <algorithm>

#include "harness/store/curve.h"

namespace pacbench::report {
namespace {

/// The evaluations that were recorded of a cell of the merged runs, in their order. None where the
/// folder of its run is not at hand.
std::vector<EvaluationEvent> curve_of(const MergedRuns& group, const CellResult& cell) {
  for (const auto& run : group.runs) {
    for (const auto& measured : run.result.cells) {
      // Several runs may have the cell: the merged one is that with the same numbers.
      if (measured.name() != cell.name() || to_json(measured) != to_json(cell)) continue;
      return store::read_curve(run.cell_folder(measured));
    }
  }
  return {};
}

void fill_evaluation(const std::vector<EvaluationEvent>& curve, const CellResult& cell,
                     TargetSummary& summary) {
  const auto reached = summary.tta_s_of_seeds.find(cell.seed);
  if (reached == summary.tta_s_of_seeds.end() || !reached->second) return;
  const auto target =
      std::find_if(cell.targets.begin(), cell.targets.end(),
                   [&](const TargetResult& one) { return one.target == summary.target; });
  // The curve is on the clock as it ran.
  const bool is_repaired = target != cell.targets.end() && target->tta_unrepaired_s;
  const double added_s = is_repaired ? *target->tta_unrepaired_s - *reached->second : 0;
  for (const auto& evaluation : curve) {
    const double at_s = evaluation.training_s - added_s;
    if (at_s >= *reached->second) return;
    summary.evaluated_before_s[cell.seed] = std::max(0.0, at_s);
  }
}

}  // namespace

void fill_evaluations(const MergedRuns& group, LinkReport& link) {
  for (auto& row : link.rows) {
    for (const auto& cell : group.result.cells) {
      if (cell.label != row.label || cell.link != link.link) continue;
      const auto curve = curve_of(group, cell);
      for (auto& summary : row.targets) fill_evaluation(curve, cell, summary);
    }
  }
}

}  // namespace pacbench::report
