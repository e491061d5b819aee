#include "harness/run/manifest.h"

#include <fmt/format.h>

#include <sstream>

#include "base/files.h"
#include "base/subprocess.h"
#include "harness/build_info.h"
#include "harness/difference.h"

namespace pacbench::run {
namespace {

std::string text_at(const std::string& source, const Json& manifest, const std::string& pointer) {
  const Json::json_pointer place{pointer};
  if (!manifest.is_structured() || !manifest.contains(place)) {
    throw ConfigError{source, {{pointer, "missing: not a manifest of pacbench"}}};
  }
  const auto& value = manifest.at(place);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// What was typed to start this program.
std::string own_command() {
  std::istringstream words{read_file("/proc/self/cmdline")};
  std::vector<std::string> argv;
  for (std::string word; std::getline(words, word, '\0');) argv.push_back(word);
  return shell_words(argv);
}

}  // namespace

Json new_manifest(const Scenario& scenario, const Catalogue& catalogue) {
  return {{"format", "pacbench.manifest/1"},
          {"command", own_command()},
          {"scenario", to_json(scenario)},
          {"scenario_hash", scenario_hash(scenario)},
          {"comparison_hash", comparison_hash(scenario)},
          {"pacbench_version", version()},
          {"git_commit", git_commit()},
          {"torch_version", catalogue.torch_version},
          {"environment", to_json(Environment::read())},
          {"clock", "CLOCK_MONOTONIC, ns"},
          {"started_utc", utc_now()},
          {"links", Json::object()}};
}

void add_continuation(Json& manifest, const std::optional<Environment>& trained_on) {
  Json continuation{{"command", own_command()}, {"git_commit", git_commit()}, {"utc", utc_now()}};
  if (trained_on) continuation["environment"] = to_json(*trained_on);
  manifest["continued"].push_back(std::move(continuation));
}

void add_links(Json& manifest, const std::string& profile, const netd::CreatedReply& created) {
  auto node = netd::to_json(created);
  node.erase("type");
  manifest["links"][profile] = std::move(node);
}

std::vector<Origin> origins(const std::string& source, const Json& manifest,
                            const Catalogue& catalogue) {
  const auto here = Environment::read();
  std::vector<Origin> all{{"/torch_version", "torch", "", catalogue.torch_version, false},
                          {"/pacbench_version", "pacbench", "", version(), false}};
  const auto add_machine = [&](const std::string& place) {
    all.push_back({place + "/environment/cpu", "CPU", "", here.cpu, true});
    all.push_back(
        {place + "/environment/cores", "number of cores", "", fmt::to_string(here.cores), true});
  };
  add_machine("");
  const auto continued = manifest.value("continued", Json::array());
  for (std::size_t i = 0; i < continued.size(); ++i) {
    if (continued[i].contains("environment")) add_machine(fmt::format("/continued/{}", i));
  }
  for (auto& origin : all) origin.there = text_at(source, manifest, origin.pointer);
  return all;
}

void require_same_origin(const std::string& source, const Json& manifest,
                         const Catalogue& catalogue) {
  const bool times_count = manifest.at("scenario").value("mode", "") != "learn";
  std::vector<Issue> issues;
  for (const auto& origin : origins(source, manifest, catalogue)) {
    if (origin.there == origin.here || (origin.of_machine && !times_count)) continue;
    issues.push_back({origin.pointer,
                      fmt::format("the run was started with {} {}, found {}: its cells could not "
                                  "be held against each other; go on there or start a new run",
                                  origin.words, origin.there, origin.here)});
  }
  if (!issues.empty()) throw ConfigError{source, issues};
}

void require_same_scenario(const std::string& source, const Json& manifest,
                           const Scenario& scenario) {
  const auto difference = first_difference(asked_part(to_json(scenario)),
                                           asked_part(manifest.value("scenario", Json::object())));
  if (!difference) return;
  throw ConfigError{
      source,
      {{difference->pointer,
        fmt::format("the scenario is not the one that this run was started with: found {}, "
                    "expected {}; undo the change or start a new run",
                    difference->found, difference->expected)}}};
}

}  // namespace pacbench::run
