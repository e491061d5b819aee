#include "analysis/report/evaluations.h"

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

void fill_evaluation(const std::vector<EvaluationEvent>& curve, std::int64_t seed,
                     TargetSummary& summary) {
  const auto reached = summary.tta_s_of_seeds.find(seed);
  if (reached == summary.tta_s_of_seeds.end() || !reached->second) return;
  for (const auto& evaluation : curve) {
    if (evaluation.training_s >= *reached->second) return;
    summary.evaluated_before_s[seed] = evaluation.training_s;
  }
}

}  // namespace

void fill_evaluations(const MergedRuns& group, LinkReport& link) {
  for (auto& row : link.rows) {
    for (const auto& cell : group.result.cells) {
      if (cell.label != row.label || cell.link != link.link) continue;
      const auto curve = curve_of(group, cell);
      for (auto& summary : row.targets) fill_evaluation(curve, cell.seed, summary);
    }
  }
}

}  // namespace pacbench::report
