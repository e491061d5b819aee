#include "harness/reproduce/runs.h"

#include <fmt/format.h>

#include "harness/figures/fidelity.h"

namespace pacbench {
namespace {

std::string text_in(const Json& manifest, const char* key) {
  return manifest.is_object() ? manifest.value(key, "") : "";
}

std::string host_words(const Json& manifest) {
  const auto host = manifest.is_object() ? manifest.value("environment", Json::object()) : Json();
  if (!host.is_object()) return "";
  return fmt::format("{}, {} cores, {}", host.value("cpu", "unknown CPU"), host.value("cores", 0),
                     host.value("kernel", "unknown kernel"));
}

}  // namespace

std::vector<RunIdentity> run_identities(const std::vector<NamedResult>& runs) {
  const auto manifests = environments(runs);
  std::vector<RunIdentity> identities;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& result = runs[i].result;
    const auto& manifest = manifests.at(i).at("manifest");
    identities.push_back({runs[i].path, result.scenario.at("name"), result.mode,
                          text_in(manifest, "command"), text_in(manifest, "scenario_hash"),
                          result.comparison_hash, text_in(manifest, "git_commit"),
                          host_words(manifest), result.cells.size(), planned_cells(result)});
  }
  return identities;
}

}  // namespace pacbench
