#include "harness/store/recorded_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/json/json_checksum.h"
#include "base/sha256.h"
#include "base/text_file.h"
#include "contract/scenario/scenario.h"
#include "harness/store/cell_file.h"

namespace pacbench::store {
namespace {

namespace fs = std::filesystem;
using namespace nlohmann::literals;

void add(const std::string& file, const Issue& issue, ChecksumCheck& check) {
  check.findings.push_back(
      fmt::format("{}{}{}: {}", file, file.empty() ? "" : ": ", issue.pointer, issue.message));
}

/// Checks manifest.json and result.json. A pacbench that gives one of them a checksum gives it to
/// both, so where one has a checksum, its absence from the other is a finding.
void check_run(const RecordedRun& run, ChecksumCheck& check) {
  const auto manifest = read_json_file(run.path("manifest.json"));
  const bool expected = has_checksum(manifest) || has_checksum(run.result);
  const auto one = [&](const char* name, const Json& document) {
    if (expected && !has_checksum(document)) {
      add(run.path(name), {"/sha256", "missing: this key was taken out after the file was written"},
          check);
    } else if (const auto issue = checksum_issue(document)) {
      add(run.path(name), *issue, check);
    }
  };
  one("manifest.json", manifest);
  one("result.json", run.result);
}

/// The document, or null when it cannot be read; verify_numbers() says why.
Json read_cell(const std::string& path) {
  try {
    return read_json_file(path);
  } catch (const ConfigError&) {
    return {};
  }
}

void check_cell(const std::string& folder, ChecksumCheck& check) {
  const auto document = read_cell(folder + "/cell.json");
  if (!document.is_object()) return;
  const auto issues = changed_cell(folder);
  for (const auto& issue : issues) add("", issue, check);
  if (!document.contains("files") && issues.empty()) {
    ++check.without;
    return;
  }
  ++check.cells;
  check.files += static_cast<int>(document.value("files", Json::array()).size());
}

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
  throw ConfigError{path, "/comparison_hash",
                    fmt::format("found {:.12}…, expected {:.12}…, the hash of the scenario in "
                                "this file: the file was edited; use the file that the run wrote",
                                run.comparison_hash, expected)};
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

RecordedRun open_run(const std::string& name, const Catalogue& catalogue) {
  RecordedRun run;
  run.source = std::make_shared<const RunPath>(name);
  const auto& folder = run.folder = run.source->folder();
  run.manifest = read_manifest(folder);
  const auto path = run.path("result.json");
  if (!fs::exists(path)) {
    throw ConfigError{
        folder, "",
        "holds a manifest.json but no result.json: the run was broken off before its first cell "
        "began, or the file was deleted; pacbench run with --resume writes it"};
  }
  run.result = read_json_file(path);
  require_types(path, "", run.result, {{"/cells", &Json::is_array, "an array"}});
  const auto source = run.path("manifest.json");
  const auto& python = run.manifest.python;
  run.scenario = scenario_from_json(
      source, run.manifest.scenario,
      python.is_null() ? catalogue : with_classes(catalogue, catalogue_from_json(source, python)));
  return run;
}

bool keeps_lines(const std::string& folder) {
  const fs::path cells{folder + "/cells"};
  if (!fs::is_directory(cells)) return false;
  const fs::directory_iterator all{cells};
  return std::any_of(begin(all), end(all), [](const auto& cell) {
    return text_exists((cell.path() / "events.jsonl").string());
  });
}

std::vector<plan::Cell> cells_of(const RecordedRun& run, const std::vector<std::string>& names) {
  const auto all = plan::plan(run.scenario);
  std::vector<std::string> known;
  for (const auto& cell : all) known.push_back(cell.folder_name());
  std::vector<plan::Cell> chosen;
  for (const auto index : chosen_cells(known, names, run.folder)) chosen.push_back(all[index]);
  return chosen;
}

ChecksumCheck verify_checksums(const RecordedRun& run, const std::vector<plan::Cell>& cells) {
  ChecksumCheck check;
  check_run(run, check);
  for (const auto& cell : cells) {
    const auto folder = run.cell_folder(cell);
    try {
      if (fs::exists(folder + "/cell.json")) check_cell(folder, check);
    } catch (const ConfigError& error) {
      check.findings.emplace_back(error.what());
    }
  }
  return check;
}

void require_types(const std::string& path, const std::string& prefix, const Json& document,
                   const std::vector<Typed>& values) {
  std::vector<Issue> issues;
  for (const auto& [pointer, is, words] : values) {
    const Json::json_pointer place{pointer};
    const bool there = document.contains(place);
    if (there && (document.at(place).*is)()) continue;
    issues.push_back({prefix + pointer,
                      fmt::format("found {}, expected {}: the file was edited, or is of another "
                                  "version of pacbench; use the file that the run wrote",
                                  there ? describe_found(document.at(place)) : "nothing", words)});
  }
  if (!issues.empty()) throw ConfigError{path, issues};
}

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
  std::vector<Issue> issues;
  for (const auto& name : names) {
    if (std::ranges::count(known, name) > 0) continue;
    issues.push_back({"", fmt::format("found no cell \"{}\" in {}; there is: {}", name, folder,
                                      fmt::join(known, ", "))});
  }
  if (!issues.empty()) throw ConfigError{"--cell", issues};
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (names.empty() || std::ranges::count(names, known[i]) > 0) chosen.push_back(i);
  }
  return chosen;
}

NamedResult read_result(const std::string& run) {
  const auto source = std::make_shared<const RunPath>(run);
  const auto path = source->shown();
  if (!fs::exists(path)) throw ConfigError{run, "", missing_result(run)};
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
