#include "harness/store/read_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/sha256.h"
#include "contract/scenario/scenario.h"
#include "harness/store/archive.h"
#include "harness/store/files.h"
#include "harness/store/require_types.h"

namespace pacbench::store {
namespace {

namespace fs = std::filesystem;
using namespace nlohmann::literals;

/// Why a folder has no result.json, and what to do about it.
std::string missing_result(const std::string& folder) {
  if (fs::is_empty(folder)) {
    return "the folder is empty, expected the results of a run (pacbench run --out)";
  }
  if (fs::exists(folder + "/manifest.json")) {
    return "holds a manifest.json but no result.json: the run was broken off before its first "
           "cell began, or the file was deleted; go on with pacbench run SCENARIO --out " +
           folder + " --resume";
  }
  return "holds no result.json, so there is no run in it; name the folder that pacbench run --out "
         "wrote";
}

/// Throws unless the canonical scenario in a result holds what reports read. Entries are checked
/// one by one, since the comparison hash covers neither the name nor seeds, methods and targets.
void require_scenario(const std::string& path, const Json& scenario) {
  const bool learn = scenario.value("mode", Json()) == "learn";
  std::vector<Typed> values{{"/name", &Json::is_string, "a string"},
                            {"/workers", &Json::is_number_integer, "an integer"},
                            {"/methods", &Json::is_array, "an array"},
                            {"/seeds", &Json::is_array, "an array"},
                            {"/targets", &Json::is_object, "an object"}};
  if (is_program_alone(scenario)) {
    values.push_back({"/workload/command", &Json::is_array, "an array"});
  } else {
    values.push_back({"/workload/model/name", &Json::is_string, "a string"});
    values.push_back({"/workload/dataset/name", &Json::is_string, "a string"});
    values.push_back({"/workload/batch_per_worker", &Json::is_number_integer, "an integer"});
    values.push_back({"/workload/max_iterations", &Json::is_number_integer, "an integer"});
  }
  if (!learn) {
    values.push_back({"/network/links", &Json::is_array, "an array"});
    values.push_back({"/network/mtu", &Json::is_number_integer, "an integer"});
    values.push_back({"/network/congestion_control", &Json::is_string, "a string"});
    values.push_back({"/network/rate_accounting", &Json::is_string, "a string"});
  }
  for (const std::string metric : kTargetMetrics) {
    if (!scenario.contains(Json::json_pointer{"/targets/" + metric})) continue;
    values.push_back({"/targets/" + metric, &Json::is_array, "an array"});
  }
  require_types(path, "/scenario", scenario, values);

  std::vector<Typed> entries;
  const auto each = [&](const std::string& list, const std::string& key, auto is,
                        const char* words) {
    const Json::json_pointer place{list};
    const auto count = scenario.contains(place) ? scenario.at(place).size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      entries.push_back({fmt::format("{}/{}{}", list, i, key), is, words});
    }
  };
  each("/methods", "/name", &Json::is_string, "a string");
  each("/methods", "/label", &Json::is_string, "a string");
  each("/seeds", "", &Json::is_number_integer, "an integer");
  for (const std::string metric : kTargetMetrics) {
    each("/targets/" + metric, "", &Json::is_number, "a number");
  }
  if (!learn) each("/network/links", "/name", &Json::is_string, "a string");
  require_types(path, "/scenario", scenario, entries);
}

void require_hash(const std::string& path, const RunResult& run) {
  const auto expected = sha256(compared_part(run.scenario).dump());
  if (run.comparison_hash == expected) return;
  throw ConfigError{path,
                    {{"/comparison_hash",
                      fmt::format("found {:.12}…, expected {:.12}…, the hash of the scenario in "
                                  "this file: the file was edited; use the file that the run wrote",
                                  run.comparison_hash, expected)}}};
}

std::set<std::string> names_in(const Json& entries, const char* key) {
  std::set<std::string> names;
  for (const auto& entry : entries) names.insert(entry.at(key).get<std::string>());
  return names;
}

std::set<std::string> links_of(const RunResult& run) {
  if (!has_network(run)) return {"none"};
  return names_in(run.scenario.at("/network/links"_json_pointer), "name");
}

/// Throws unless each cell of a result is one of the scenario and appears once.
void require_cells(const std::string& path, const RunResult& run) {
  const auto labels = names_in(run.scenario.at("methods"), "label");
  const auto links = links_of(run);
  const auto seeds = run.scenario.at("seeds").get<std::set<std::int64_t>>();
  std::set<std::tuple<std::string, std::string, std::int64_t>> seen;
  std::vector<Issue> issues;
  for (std::size_t i = 0; i < run.cells.size(); ++i) {
    const auto& cell = run.cells[i];
    const bool known =
        labels.contains(cell.label) && links.contains(cell.link) && seeds.contains(cell.seed);
    const bool is_new = seen.emplace(cell.label, cell.link, cell.seed).second;
    if (known && is_new) continue;
    issues.push_back({fmt::format("/cells/{}", i),
                      fmt::format("{} on {} with seed {} is {}", cell.label, cell.link, cell.seed,
                                  known ? "there twice" : "no cell of the scenario in this file")});
  }
  if (!issues.empty()) throw ConfigError{path, issues};
}

}  // namespace

std::string NamedResult::name() const {
  const fs::path file{path};
  if (!path.ends_with(kArchive)) return file.parent_path().filename().string();
  const auto archive = file.filename().string();
  return archive.substr(0, archive.size() - std::string_view{kArchive}.size());
}

std::string NamedResult::folder() const {
  if (source) return source->folder();
  const auto parent = fs::path{path}.parent_path().string();
  return parent.empty() ? "." : parent;
}

std::string NamedResult::cell_folder(const CellResult& cell) const {
  return cell_folder_of(folder(), cell.name());
}

std::vector<std::size_t> chosen_cells(const std::vector<std::string>& known,
                                      const std::vector<std::string>& names,
                                      const std::string& folder) {
  const auto has = [](const std::vector<std::string>& all, const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  std::vector<Issue> issues;
  for (const auto& name : names) {
    if (has(known, name)) continue;
    issues.push_back({"", fmt::format("found no cell \"{}\" in {}; there is: {}", name, folder,
                                      fmt::join(known, ", "))});
  }
  if (!issues.empty()) throw ConfigError{"--cell", issues};
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (names.empty() || has(names, known[i])) chosen.push_back(i);
  }
  return chosen;
}

NamedResult read_result(const std::string& run) {
  const auto source = std::make_shared<const RunPath>(run);
  const auto path = source->shown();
  if (!fs::exists(path)) throw ConfigError{run, {{"", missing_result(run)}}};
  const auto document = parse_json(path, source->read_head("result.json"));
  NamedResult named{path, run_result_from_json(path, document), source};
  require_scenario(path, named.result.scenario);
  require_hash(path, named.result);
  require_cells(path, named.result);
  return named;
}

std::size_t planned_cells(const RunResult& run) {
  return run.scenario.at("methods").size() * links_of(run).size() * run.scenario.at("seeds").size();
}

}  // namespace pacbench::store
