#include "analysis/compare/side.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/compare/integrity.h"
#include "harness/store/curve.h"
#include "harness/store/read_result.h"

namespace pacbench::compare {
namespace {

namespace fs = std::filesystem;

ConfigError refusal(const std::string& source, const std::string& pointer,
                    const std::string& message) {
  return ConfigError{source, {{pointer, message}}};
}

bool is_run(const std::string& folder) {
  return fs::exists(folder + "/manifest.json") || fs::exists(folder + "/result.json");
}

std::vector<EvaluationEvent> curve_of_done_cell(const std::string& folder) {
  const auto path = folder + "/curve.jsonl";
  if (fs::exists(path)) return store::read_curve(folder);
  throw refusal(
      path, "",
      "missing, although result.json says that its cell is done; copy this file from the run, too");
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
      if (std::find(finished.begin(), finished.end(), name) == finished.end()) {
        broken_off.push_back(name);
      }
    }
  }
  if (broken_off.empty() && !finished.empty()) return;
  if (broken_off.empty())
    throw refusal(run.folder + "/result.json", "/cells", "found no cell, expected at least one");
  throw refusal(run.folder, "",
                fmt::format("found a run that was broken off in cell {}; finish the run with "
                            "`pacbench run … --resume`, or leave this run out",
                            *std::min_element(broken_off.begin(), broken_off.end())));
}

void add_runs(const std::string& folder, std::vector<ComparedRun>& runs) {
  if (store::is_packed(folder)) return runs.push_back(read_compared_run(folder));
  if (!fs::is_directory(folder)) {
    throw refusal(
        folder, "",
        "found no such folder, expected a results folder, or a folder that holds results folders");
  }
  if (is_run(folder)) return runs.push_back(read_compared_run(folder));
  std::vector<std::string> below;
  for (const auto& entry : fs::directory_iterator{folder}) {
    if (entry.is_directory()) below.push_back(entry.path().string());
  }
  std::sort(below.begin(), below.end());
  if (below.empty()) {
    throw refusal(folder, "",
                  "found no run, expected manifest.json and result.json of `pacbench run`, or "
                  "folders that hold them");
  }
  for (const auto& run : below) runs.push_back(read_compared_run(run));
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

}  // namespace pacbench::compare
