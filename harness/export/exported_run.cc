#include "harness/export/exported_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "harness/report/merge.h"
#include "harness/report/require_types.h"
#include "harness/run/plan.h"

namespace pacbench::exports {
namespace {

void require_manifest(const std::string& path, const Json& manifest) {
  report::require_types(path, "", manifest, {{"/format", &Json::is_string, "a string"}});
  if (const auto& format = manifest.at("format"); format != "pacbench.manifest/1") {
    throw ConfigError{path,
                      {{"/format", fmt::format("found {}, expected \"pacbench.manifest/1\": use "
                                               "the pacbench that made the run",
                                               describe_found(format))}}};
  }
  report::require_types(path, "", manifest,
                        {{"/started_utc", &Json::is_string, "a string"},
                         {"/environment/cpu", &Json::is_string, "a string"},
                         {"/environment/kernel", &Json::is_string, "a string"},
                         {"/environment/cores", &Json::is_number_integer, "an integer"}});
}

void keep(std::vector<CellResult>& cells, const std::vector<std::string>& names,
          const std::string& folder) {
  if (names.empty()) return;
  std::vector<std::string> known;
  for (const auto& cell : cells) known.push_back(cell_name(cell));
  std::vector<Issue> issues;
  for (const auto& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    issues.push_back({"", fmt::format("no cell \"{}\" in {}; there is: {}", name, folder,
                                      fmt::join(known, ", "))});
  }
  if (!issues.empty()) throw ConfigError{"--cell", issues};
  std::erase_if(cells, [&](const CellResult& cell) {
    return std::find(names.begin(), names.end(), cell_name(cell)) == names.end();
  });
}

}  // namespace

std::string ExportedRun::cell_folder(const CellResult& cell) const {
  return fmt::format("{}/cells/{}", folder, cell_name(cell));
}

std::string cell_name(const CellResult& cell) {
  run::Cell place;
  place.method.label = cell.label;
  place.link.name = cell.link;
  place.seed = cell.seed;
  return place.folder_name();
}

ExportedRun open_exported_run(const std::string& folder, const std::vector<std::string>& cells) {
  ExportedRun run;
  run.folder = folder;
  if (std::filesystem::exists(folder) && !std::filesystem::is_directory(folder)) {
    throw ConfigError{folder, {{"", "found a file, expected the results folder of a run"}}};
  }
  const auto named = report::read_result(folder);
  if (!std::filesystem::exists(folder + "/manifest.json")) {
    throw ConfigError{folder,
                      {{"",
                        "holds no manifest.json, which pacbench run writes first and an export "
                        "needs: take the whole folder of the run"}}};
  }
  run.result = report::merge_runs({named}).result;  // refuses a cell that is there twice
  run.manifest = read_json_file(folder + "/manifest.json");
  require_manifest(folder + "/manifest.json", run.manifest);
  if (run.result.cells.empty()) {
    throw ConfigError{folder + "/result.json",
                      {{"/cells", "found none, expected at least one: go on with run --resume"}}};
  }
  keep(run.result.cells, cells, folder);
  return run;
}

void require_timed(const ExportedRun& run, const char* why) {
  if (run.result.mode != "learn") return;
  throw ConfigError{run.folder + "/result.json",
                    {{"/mode", fmt::format("found \"learn\", expected \"emulate\": nothing was "
                                           "timed, and {}; export bmf, github-action or perfetto",
                                           why)}}};
}

}  // namespace pacbench::exports
