#include "harness/export/exported_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "harness/report/merge.h"
#include "harness/run/plan.h"

namespace pacbench {
namespace {

/// What exports read of a manifest.
void require_manifest(const std::string& path, const Json& manifest) {
  std::vector<Issue> issues;
  for (const char* key : {"/format", "/started_utc", "/environment/cpu", "/environment/kernel"}) {
    const Json::json_pointer pointer{key};
    if (manifest.contains(pointer) && manifest.at(pointer).is_string()) continue;
    issues.push_back({key, "missing or no string: not a run's manifest"});
  }
  const Json::json_pointer cores{"/environment/cores"};
  if (!manifest.contains(cores) || !manifest.at(cores).is_number_integer()) {
    issues.push_back({"/environment/cores", "missing or no integer: not a run's manifest"});
  }
  if (!issues.empty()) throw ConfigError{path, issues};
  if (const auto& format = manifest.at("format"); format != "pacbench.manifest/1") {
    throw ConfigError{path,
                      {{"/format", fmt::format("found {}, expected \"pacbench.manifest/1\": use "
                                               "the pacbench that made the run",
                                               describe_found(format))}}};
  }
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
  Cell place;
  place.method.label = cell.label;
  place.link.name = cell.link;
  place.seed = cell.seed;
  return place.folder_name();
}

ExportedRun open_exported_run(const std::string& folder, const std::vector<std::string>& cells) {
  ExportedRun run;
  run.folder = folder;
  for (const char* name : {"result.json", "manifest.json"}) {
    if (std::filesystem::exists(folder + "/" + name)) continue;
    throw ConfigError{folder, {{"", fmt::format("holds no {}, so there is no run in it", name)}}};
  }
  run.result = read_result(folder).result;
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

}  // namespace pacbench
