#include "harness/verify/relative_targets.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/statistics/spread.h"
#include "harness/store/curve.h"
#include "harness/store/run_folder.h"
#include "harness/verify/recount.h"

namespace pacbench::verify {
namespace {

/// The curves of the done cells of all-reduce, without empty ones: modes compose and simulate may
/// run without a curve.
std::vector<Curve> curves_of_all_reduce(const store::RecordedRun& run, const RunResult& result) {
  std::vector<Curve> curves;
  for (const auto& cell : plan::plan(run.scenario)) {
    if (cell.method.choice.name != "all-reduce") continue;
    const bool done =
        std::any_of(result.cells.begin(), result.cells.end(), [&](const CellResult& known) {
          return known.status == CellStatus::kDone && known.label == cell.method.label &&
                 known.link == cell.link.name && known.seed == cell.seed;
        });
    if (!done) continue;
    if (auto curve = store::read_curve(run.cell_folder(cell)); !curve.empty()) {
      curves.push_back(std::move(curve));
    }
  }
  return curves;
}

const EvaluationEvent& last_until(const Curve& curve, double iteration) {
  const auto after = std::find_if(curve.begin(), curve.end(), [&](const auto& evaluation) {
    return static_cast<double>(evaluation.iteration) > iteration;
  });
  return after == curve.begin() ? curve.front() : *std::prev(after);
}

/// The sort key of a target: accuracies, then losses, the hardest of each last.
std::pair<bool, double> place_when_read(const Target& target) {
  const bool of_loss = target.metric == kLoss;
  return {of_loss, of_loss ? -target.value : target.value};
}

template <typename Value>
double median_over(const std::vector<Curve>& curves, Value value) {
  std::vector<double> values;
  for (const auto& curve : curves) values.push_back(value(curve));
  return statistics::median(values);
}

}  // namespace

std::vector<Target> targets_of_shares(const Scenario& scenario, const std::vector<Curve>& curves) {
  std::vector<Target> targets;
  if (curves.empty()) return targets;
  const double final =
      median_over(curves, [](const Curve& curve) { return curve.back().accuracy.value(); });
  for (const double share : scenario.target_shares) targets.push_back({kAccuracy, share * final});
  // The factor makes up for rounding: 0.29 × 100 is a little less than 29.
  const double iterations = static_cast<double>(scenario.workload.max_iterations) * (1 + 1e-12);
  for (const double share : scenario.loss_shares) {
    targets.push_back({kLoss, median_over(curves, [&](const Curve& curve) {
                         return last_until(curve, share * iterations).loss;
                       })});
  }
  return targets;
}

RunResult with_targets_of_shares(const std::string& folder, const Catalogue& catalogue,
                                 RunResult result) {
  auto run = store::open_run(folder, catalogue);
  auto targets = targets_of_shares(run.scenario, curves_of_all_reduce(run, result));
  if (targets.empty()) return result;
  for (const auto& target : run.scenario.targets) {
    const auto& shares =
        target.metric == kLoss ? run.scenario.loss_shares : run.scenario.target_shares;
    if (shares.empty()) targets.push_back(target);
  }
  std::sort(targets.begin(), targets.end(), [](const Target& one, const Target& other) {
    return place_when_read(one) < place_when_read(other);
  });
  run.scenario.targets = std::move(targets);
  {
    const auto opened = store::RunFolder::open(folder);
    auto manifest = opened.manifest();
    manifest.scenario = to_json(run.scenario);
    opened.write_manifest(manifest);
  }
  recount(run);
  return run_result_from_json(run.path("result.json"), read_json_file(run.path("result.json")));
}

}  // namespace pacbench::verify
