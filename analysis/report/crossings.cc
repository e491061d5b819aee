#include "analysis/report/build.h"

#include <algorithm>
#include <cmath>

#include "contract/scenario/program.h"
#include "harness/store/files.h"

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

/// The time of `iterations` median steps and of the most exchanges in them. A method that exchanges
/// once in `every` iterations makes up to ceil(iterations / every) exchanges in them. Each adds
/// `every` × (mean step − median step), at least 0: the median step is taken to have no exchange.
double time_of(const ReportRow& row, std::int64_t iterations) {
  const double median_s = row.median_step_s->median;
  const auto count = static_cast<double>(iterations);
  if (row.every == 1) return count * median_s;
  const double every = static_cast<double>(row.every);
  const double exchange_s = every * std::max(0.0, row.mean_iteration_s->median - median_s);
  return count * median_s + std::ceil(count / every) * exchange_s;
}

/// The time from one evaluation to the next, up to a target. Where the row has no step that stands
/// for those of the training, it is the mean until the target.
double time_between(const ReportRow& row, const TargetResult& target, std::int64_t evaluate_every) {
  if (!row.step_is_other) return time_of(row, evaluate_every);
  return *target.tta_s * static_cast<double>(evaluate_every) /
         static_cast<double>(std::max<std::int64_t>(*target.iterations, evaluate_every));
}

/// When a program was last evaluated before `tta_s`, by its recorded curve, which is on the clock
/// as it ran; 0 where it was not.
double evaluated_before(const std::vector<EvaluationEvent>& curve, const TargetResult& target) {
  const double added_s = target.tta_unrepaired_s ? *target.tta_unrepaired_s - *target.tta_s : 0;
  double before_s = 0;
  for (const auto& evaluation : curve) {
    const double at_s = evaluation.training_s - added_s;
    if (at_s >= *target.tta_s) break;
    before_s = std::max(before_s, at_s);
  }
  return before_s;
}

statistics::Between crossing_of(double before_s, const CellResult& cell,
                                const TargetResult& target) {
  const double tta_s = *target.tta_s;
  const bool is_disturbed = cell.machine_verdict && cell.machine_verdict->word == "disturbed" &&
                            target.tta_low_s && target.tta_high_s;
  const double earlier_s = is_disturbed ? tta_s - *target.tta_low_s : 0;
  const double later_s = is_disturbed ? *target.tta_high_s - tta_s : 0;
  return {std::max(before_s - earlier_s, tta_s * 1e-3), tta_s + later_s};
}

}  // namespace

void fill_crossings(const MergedRuns& group, LinkReport& link) {
  const auto& scenario = group.result.scenario;
  const bool is_program = is_program_alone(scenario);
  const std::int64_t every =
      is_program ? 0 : scenario.at("workload").value("evaluate_every", std::int64_t{1});
  for (auto& row : link.rows) {
    for (const auto& cell : group.result.cells) {
      if (cell.label != row.label || cell.link != link.link) continue;
      const auto curve = is_program ? curve_of(group, cell) : std::vector<EvaluationEvent>{};
      for (auto& summary : row.targets) {
        const auto seen = summary.tta_s_of_seeds.find(cell.seed);
        if (seen == summary.tta_s_of_seeds.end() || !seen->second) continue;
        const auto& target = *find_target(cell, summary.target);
        const double before_s = is_program ? evaluated_before(curve, target)
                                           : *target.tta_s - time_between(row, target, every);
        summary.crossings[cell.seed] = crossing_of(before_s, cell, target);
      }
    }
  }
}

}  // namespace pacbench::report
