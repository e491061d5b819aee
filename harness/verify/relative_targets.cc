#include "harness/verify/relative_targets.h"

#include <algorithm>

#include "harness/run/recorder.h"
#include "harness/statistics/spread.h"
#include "harness/verify/recount.h"

namespace pacbench::verify {
namespace {

bool is_of_all_reduce(const Scenario& scenario, const CellResult& cell) {
  return std::any_of(scenario.methods.begin(), scenario.methods.end(),
                     [&](const MethodEntry& method) {
                       return method.choice.name == "all-reduce" && method.label == cell.label;
                     });
}

}  // namespace

std::vector<Target> targets_of_shares(const std::vector<double>& shares, const Scenario& scenario,
                                      const std::vector<CellResult>& cells) {
  std::vector<double> finals;
  for (const auto& cell : cells) {
    if (cell.status == "done" && is_of_all_reduce(scenario, cell)) {
      finals.push_back(cell.final_accuracy);
    }
  }
  std::vector<Target> targets;
  if (finals.empty()) return targets;
  const double final = statistics::median(finals);
  for (const double share : shares) targets.push_back({kAccuracy, share * final});
  return targets;
}

RunResult with_targets_of_shares(const std::string& folder, const Catalogue& catalogue,
                                 RunResult result) {
  auto run = open_run(folder, catalogue);
  const auto& shares = run.scenario.target_shares;
  auto targets = targets_of_shares(shares, run.scenario, result.cells);
  if (targets.empty()) return result;
  for (const auto& target : run.scenario.targets) {
    if (target.metric != kAccuracy) targets.push_back(target);
  }
  run.scenario.targets = std::move(targets);
  {
    const auto opened = run::RunFolder::open(folder);
    auto manifest = opened.manifest();
    manifest["scenario"] = to_json(run.scenario);
    opened.write_manifest(manifest);
  }
  recount(run);
  return run_result_from_json(run.path("result.json"), read_json_file(run.path("result.json")));
}

}  // namespace pacbench::verify
