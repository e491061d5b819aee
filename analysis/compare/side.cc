#include "analysis/compare/side.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/report/merge.h"
#include "base/json/checked_keys.h"
#include "harness/record/cell_result.h"
#include "harness/store/files.h"
#include "harness/store/recorded_run.h"

namespace pacbench::compare {
namespace {

namespace fs = std::filesystem;

bool is_run(const std::string& folder) {
  return fs::exists(folder + "/manifest.json") || fs::exists(folder + "/result.json");
}

std::vector<EvaluationEvent> curve_of_done_cell(const std::string& folder) {
  const auto path = folder + "/curve.jsonl";
  if (fs::exists(path)) return store::read_curve(folder);
  throw ConfigError{path,
                    {{"",
                      "missing, although result.json says that its cell is done; copy this file "
                      "from the run, too"}}};
}

/// Refuses a run without cells. It also refuses a run that was broken off: its methods were
/// measured under unlike conditions, or some not at all.
void require_whole(const ComparedRun& run) {
  std::vector<std::string> finished;
  std::vector<std::string> broken_off;
  for (const auto& cell : run.result.cells) {
    auto& list = cell.status == CellStatus::kInterrupted ? broken_off : finished;
    list.push_back(cell.name());
  }
  if (fs::is_directory(run.folder + "/cells")) {
    for (const auto& entry : fs::directory_iterator{run.folder + "/cells"}) {
      const auto name = entry.path().filename().string();
      if (std::ranges::find(finished, name) == finished.end()) broken_off.push_back(name);
    }
  }
  if (broken_off.empty() && !finished.empty()) return;
  if (broken_off.empty()) {
    throw ConfigError{run.folder + "/result.json",
                      {{"/cells", "found no cell, expected at least one"}}};
  }
  throw ConfigError{run.folder,
                    {{"", fmt::format("found a run that was broken off in cell {}; finish the run "
                                      "with `pacbench run … --resume`, or leave this run out",
                                      std::ranges::min(broken_off))}}};
}

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
  const auto expect = [&](const std::string& key, const Json& found, const Json& expected) {
    if (found != expected) issues.push_back({pointer + key, unlike(found, expected)});
  };
  if (curve.empty()) return;
  std::optional<double> last;
  std::optional<double> best;
  for (const auto& evaluation : curve) {
    if (!evaluation.accuracy) continue;
    last = evaluation.accuracy;
    best = std::max(best, last);
  }
  expect("/final_accuracy", json_fields::written(cell.final_accuracy), json_fields::written(last));
  expect("/best_accuracy", json_fields::written(cell.best_accuracy), json_fields::written(best));
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

/// Refuses a run whose files contradict each other, naming each contradiction that was found. The
/// result must have the manifest's scenario and that scenario's mode. Each cell with a curve must
/// have the accuracies and targets that follow from this curve. `pacbench verify` checks more, but
/// needs all recorded lines.
void require_unedited(const ComparedRun& run) {
  std::vector<Issue> issues;
  check_scenario(run, issues);
  for (std::size_t i = 0; i < run.result.cells.size(); ++i) {
    check_cell(run.result.cells[i], run.curves[i], fmt::format("/cells/{}", i), issues);
  }
  if (!issues.empty()) throw ConfigError{run.folder + "/result.json", issues};
}

void add_runs(const std::string& folder, std::vector<ComparedRun>& runs) {
  if (store::is_packed(folder)) return runs.push_back(read_compared_run(folder));
  if (!fs::is_directory(folder)) {
    throw ConfigError{folder,
                      {{"",
                        "found no such folder, expected a results folder, or a folder that holds "
                        "results folders"}}};
  }
  if (is_run(folder)) return runs.push_back(read_compared_run(folder));
  std::vector<std::string> below;
  for (const auto& entry : fs::directory_iterator{folder}) {
    if (entry.is_directory()) below.push_back(entry.path().string());
  }
  std::ranges::sort(below);
  if (below.empty()) {
    throw ConfigError{folder,
                      {{"",
                        "found no run, expected manifest.json and result.json of `pacbench run`, "
                        "or folders that hold them"}}};
  }
  for (const auto& run : below) runs.push_back(read_compared_run(run));
}

std::vector<const ComparedRun*> all_runs(const std::vector<ComparedRun>& base,
                                         const std::vector<ComparedRun>& next) {
  std::vector<const ComparedRun*> all;
  for (const auto* side : {&base, &next}) {
    for (const auto& run : *side) all.push_back(&run);
  }
  return all;
}

void add_cells(const ComparedRun& run, std::vector<RecordedCell> CellPair::*side,
               std::vector<CellPair>& pairs) {
  for (std::size_t i = 0; i < run.result.cells.size(); ++i) {
    const auto& cell = run.result.cells[i];
    auto pair = std::ranges::find_if(pairs, [&](const CellPair& known) {
      return known.label == cell.label && known.link == cell.link && known.seed == cell.seed;
    });
    if (pair == pairs.end()) {
      pair = pairs.insert(pair, {cell.label, cell.link, cell.seed, {}, {}});
    }
    ((*pair).*side).push_back({&run, &cell, &run.curves[i]});
  }
}

Json methods_by_label(const RunResult& result) {
  Json methods = Json::object();
  for (const auto& method : result.scenario.value("methods", Json::array())) {
    methods[method.value("label", "")] = method;
  }
  return methods;
}

std::optional<Difference> between(const RunResult& found, const RunResult& expected) {
  auto difference =
      first_difference(report::comparable_part(found), report::comparable_part(expected));
  if (difference) return difference;
  const auto other = methods_by_label(found);
  const auto methods = methods_by_label(expected);
  for (const auto& [label, method] : methods.items()) {
    if (!other.contains(label)) continue;
    if (auto part = first_difference(other.at(label), method, "/methods/" + label)) return part;
  }
  return std::nullopt;
}

}  // namespace

ComparedRun read_compared_run(const std::string& path) {
  const auto named = store::read_result(path);
  ComparedRun run{named.folder(), named.result, store::read_manifest(named.folder()), {}};
  run.source = named.source;
  require_whole(run);
  for (const auto& cell : run.result.cells) {
    const bool is_done = cell.status == CellStatus::kDone;
    run.curves.push_back(is_done ? curve_of_done_cell(named.cell_folder(cell))
                                 : std::vector<EvaluationEvent>{});
  }
  require_unedited(run);
  return run;
}

std::vector<ComparedRun> read_side(const std::string& argument) {
  std::vector<ComparedRun> runs;
  if (fs::exists(argument)) {
    add_runs(argument, runs);
    return runs;
  }
  for (std::size_t at = 0; at <= argument.size();) {
    const auto end = std::min(argument.find(',', at), argument.size());
    add_runs(argument.substr(at, end - at), runs);
    at = end + 1;
  }
  return runs;
}

std::vector<CellPair> pair_cells(const std::vector<ComparedRun>& base,
                                 const std::vector<ComparedRun>& next) {
  std::vector<CellPair> pairs;
  for (const auto& run : base) add_cells(run, &CellPair::base, pairs);
  for (const auto& run : next) add_cells(run, &CellPair::next, pairs);
  return pairs;
}

std::optional<Mismatch> first_mismatch(const std::vector<ComparedRun>& base,
                                       const std::vector<ComparedRun>& next) {
  for (const auto* run : all_runs(base, next)) {
    if (const auto difference = between(run->result, base.front().result)) {
      return Mismatch{run->folder, *difference};
    }
  }
  return std::nullopt;
}

std::vector<Mismatch> machine_mismatches(const std::vector<ComparedRun>& base,
                                         const std::vector<ComparedRun>& next) {
  const auto& first = base.front();
  std::vector<Mismatch> mismatches;
  const auto expect = [&](const std::string& folder, const char* pointer, const std::string& found,
                          const std::string& expected) {
    const bool is_known = std::ranges::any_of(mismatches, [&](const Mismatch& known) {
      return known.difference.pointer == pointer && known.difference.found == found;
    });
    if (found == expected || is_known) return;
    mismatches.push_back({folder, {pointer, found, expected}});
  };
  for (const auto* run : all_runs(base, next)) {
    expect(run->folder, "/environment/cpu", run->machine().cpu, first.machine().cpu);
    expect(run->folder, "/environment/cores", std::to_string(run->machine().cores),
           std::to_string(first.machine().cores));
    expect(run->folder, "/environment/kernel", run->machine().kernel, first.machine().kernel);
  }
  return mismatches;
}

}  // namespace pacbench::compare
