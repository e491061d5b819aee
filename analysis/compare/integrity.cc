#include "analysis/compare/integrity.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/scenario/scenario.h"
#include "harness/record/time_to_accuracy.h"
#include "harness/text/difference.h"

namespace pacbench::compare {
namespace {

constexpr const char* kCure =
    "a file of this run was edited after the run; use the original files, or repeat the run";

std::string unlike(const Json& found, const Json& expected) {
  return fmt::format("found {}, expected {}: {}", describe_found(found), describe_found(expected),
                     kCure);
}

void check_scenario(const ComparedRun& run, std::vector<Issue>& issues) {
  const auto& scenario = run.result.scenario;
  if (const auto parts = first_difference(scenario, run.manifest.scenario)) {
    issues.push_back(
        {"/scenario" + parts->pointer, fmt::format("found {}, expected {} as in manifest.json: {}",
                                                   parts->found, parts->expected, kCure)});
  }
  if (scenario.value("mode", Json{}) != Json(run.result.mode)) {
    issues.push_back({"/mode", unlike(run.result.mode, scenario.value("mode", Json{}))});
  }
}

void check_cell(const CellResult& cell, const std::vector<EvaluationEvent>& curve,
                const std::string& pointer, std::vector<Issue>& issues) {
  const auto expect = [&](const std::string& key, double found, double expected) {
    if (found != expected) issues.push_back({pointer + key, unlike(found, expected)});
  };
  const auto expect_same = [&](const std::string& key, const std::optional<double>& found,
                               const std::optional<double>& expected) {
    const auto node = [](const auto& value) { return value ? Json(*value) : Json{}; };
    if (found != expected) issues.push_back({pointer + key, unlike(node(found), node(expected))});
  };
  if (curve.empty()) return;
  std::optional<double> last;
  std::optional<double> best;
  for (const auto& evaluation : curve) {
    if (!evaluation.accuracy) continue;
    last = evaluation.accuracy;
    best = std::max(best, last);
  }
  expect_same("/final_accuracy", cell.final_accuracy, last);
  expect_same("/best_accuracy", cell.best_accuracy, best);
  for (std::size_t i = 0; i < cell.targets.size(); ++i) {
    const auto& target = cell.targets[i];
    const auto crossing = record::target_result_of(curve, target.target, true, target.unconfirmed);
    const auto place = fmt::format("/targets/{}", i);
    // -1 stands for a target that was not reached.
    const auto& clocked_s = target.tta_unrepaired_s ? target.tta_unrepaired_s : target.tta_s;
    expect(place + "/tta_s", clocked_s.value_or(-1), crossing.tta_s.value_or(-1));
    expect(place + "/iterations", static_cast<double>(target.iterations.value_or(-1)),
           static_cast<double>(crossing.iterations.value_or(-1)));
  }
}

}  // namespace

void require_unedited(const ComparedRun& run) {
  std::vector<Issue> issues;
  check_scenario(run, issues);
  for (std::size_t i = 0; i < run.result.cells.size(); ++i) {
    check_cell(run.result.cells[i], run.curves[i], fmt::format("/cells/{}", i), issues);
  }
  if (!issues.empty()) throw ConfigError{run.folder + "/result.json", issues};
}

}  // namespace pacbench::compare
