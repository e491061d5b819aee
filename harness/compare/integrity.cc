#include "harness/compare/integrity.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/sha256.h"
#include "harness/cell/summary.h"
#include "harness/difference.h"
#include "spec/scenario.h"

namespace pacbench::compare {
namespace {

constexpr const char* kCure = "it was edited after the run: use the original, or run again";

std::string unlike(const Json& found, const Json& expected) {
  return fmt::format("found {}, expected {}: {}", describe_found(found), describe_found(expected),
                     kCure);
}

void check_scenario(const ComparedRun& run, const Json& manifest, std::vector<Issue>& issues) {
  const auto& scenario = run.result.scenario;
  if (const auto parts = first_difference(scenario, manifest.value("scenario", Json{}))) {
    issues.push_back(
        {"/scenario" + parts->pointer, fmt::format("found {}, expected {} as in manifest.json: {}",
                                                   parts->found, parts->expected, kCure)});
  }
  const auto hash = sha256(compared_part(scenario).dump());
  if (hash != run.result.comparison_hash) {
    issues.push_back({"/comparison_hash", unlike(run.result.comparison_hash, hash)});
  }
  if (scenario.value("mode", Json{}) != run.result.mode) {
    issues.push_back({"/mode", unlike(run.result.mode, scenario.value("mode", Json{}))});
  }
}

void check_cell(const CellResult& cell, const std::vector<EvaluationEvent>& curve,
                const std::string& pointer, std::vector<Issue>& issues) {
  const auto expect = [&](const std::string& key, double found, double expected) {
    if (found != expected) issues.push_back({pointer + key, unlike(found, expected)});
  };
  if (curve.empty()) return;
  expect("/final_accuracy", cell.final_accuracy, curve.back().accuracy);
  const auto best = std::max_element(curve.begin(), curve.end(), [](const auto& a, const auto& b) {
    return a.accuracy < b.accuracy;
  });
  expect("/best_accuracy", cell.best_accuracy, best->accuracy);
  for (std::size_t i = 0; i < cell.targets.size(); ++i) {
    const auto& target = cell.targets[i];
    const auto crossing = cell::crossing_of(curve, target.target, true);
    const auto place = fmt::format("/targets/{}", i);
    // -1 stands for a target that was not reached.
    expect(place + "/tta_s", target.tta_s.value_or(-1), crossing.tta_s.value_or(-1));
    expect(place + "/iterations", static_cast<double>(target.iterations.value_or(-1)),
           static_cast<double>(crossing.iterations.value_or(-1)));
  }
}

}  // namespace

void require_unedited(const ComparedRun& run, const Json& manifest) {
  std::vector<Issue> issues;
  check_scenario(run, manifest, issues);
  std::set<std::tuple<std::string, std::string, std::int64_t>> seen;
  for (std::size_t i = 0; i < run.result.cells.size(); ++i) {
    const auto& cell = run.result.cells[i];
    const auto pointer = fmt::format("/cells/{}", i);
    if (!seen.emplace(cell.label, cell.link, cell.seed).second) {
      issues.push_back({pointer, fmt::format("found {} on {} with seed {} twice: {}", cell.label,
                                             cell.link, cell.seed, kCure)});
    }
    check_cell(cell, run.curves[i], pointer, issues);
  }
  if (!issues.empty()) throw ConfigError{run.folder + "/result.json", issues};
}

}  // namespace pacbench::compare
