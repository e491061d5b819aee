#include "harness/verify/recorded_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/text_file.h"

namespace pacbench::verify {
namespace {

const Json& required(const std::string& path, const Json& document, const char* key,
                     Json::value_t type) {
  if (document.is_object() && document.contains(key) && document.at(key).type() == type) {
    return document.at(key);
  }
  const auto found = document.is_object() && document.contains(key)
                         ? describe_found(document.at(key))
                         : std::string{"nothing"};
  throw ConfigError{path,
                    {{fmt::format("/{}", key),
                      fmt::format("found {}, expected {}", found, Json(type).type_name())}}};
}

}  // namespace

RecordedRun open_run(const std::string& folder, const Catalogue& catalogue) {
  RecordedRun run;
  run.folder = folder;
  for (const char* name : {"manifest.json", "result.json"}) {
    if (std::filesystem::exists(run.path(name))) continue;
    throw ConfigError{folder, {{"", fmt::format("holds no {}, so there is no run in it", name)}}};
  }
  run.manifest = read_json_file(run.path("manifest.json"));
  run.result = read_json_file(run.path("result.json"));
  const auto& scenario =
      required(run.path("manifest.json"), run.manifest, "scenario", Json::value_t::object);
  required(run.path("manifest.json"), run.manifest, "git_commit", Json::value_t::string);
  run.scenario = scenario_from_json(run.path("manifest.json"), scenario, catalogue);
  required(run.path("result.json"), run.result, "cells", Json::value_t::array);
  return run;
}

bool keeps_lines(const std::string& folder) {
  const std::filesystem::path cells{folder + "/cells"};
  if (!std::filesystem::is_directory(cells)) return false;
  const std::filesystem::directory_iterator all{cells};
  return std::any_of(begin(all), end(all), [](const auto& cell) {
    return text_exists((cell.path() / "events.jsonl").string());
  });
}

std::vector<run::Cell> cells_of(const RecordedRun& run, const std::vector<std::string>& names) {
  const auto all = run::plan(run.scenario);
  if (names.empty()) return all;
  std::vector<run::Cell> chosen;
  std::vector<Issue> issues;
  for (const auto& name : names) {
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const run::Cell& cell) { return cell.folder_name() == name; });
    if (found != all.end()) {
      chosen.push_back(*found);
      continue;
    }
    std::vector<std::string> known;
    for (const auto& cell : all) known.push_back(cell.folder_name());
    issues.push_back({"", fmt::format("no cell \"{}\" in {}; there is: {}", name, run.folder,
                                      fmt::join(known, ", "))});
  }
  if (!issues.empty()) throw ConfigError{"--cell", issues};
  return chosen;
}

}  // namespace pacbench::verify
