#include "harness/manifest.h"

#include <fmt/format.h>

#include "harness/build_info.h"
#include "harness/difference.h"
#include "harness/environment.h"

namespace pacbench {

Json new_manifest(const Scenario& scenario, const Catalogue& catalogue) {
  return {{"format", "pacbench.manifest/1"},
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

void add_links(Json& manifest, const std::string& profile, const netd::CreatedReply& created) {
  auto node = netd::to_json(created);
  node.erase("type");
  manifest["links"][profile] = std::move(node);
}

void require_same_scenario(const std::string& source, const Json& manifest,
                           const Scenario& scenario) {
  const auto difference = first_difference(to_json(scenario), manifest.at("scenario"));
  if (!difference) return;
  throw ConfigError{
      source,
      {{difference->pointer,
        fmt::format("the scenario is not the one that this run was started with: found {}, "
                    "expected {}; undo the change or start a new run",
                    difference->found, difference->expected)}}};
}

}  // namespace pacbench
