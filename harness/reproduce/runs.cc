#include "harness/reproduce/runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/figures/fidelity.h"
#include "harness/reproduce/hardware.h"

namespace pacbench::reproduce {
namespace {

std::string text_in(const Json& manifest, const char* key) {
  return manifest.is_object() ? manifest.value(key, "") : "";
}

/// At the manifest's beginning, and where the run was gone on with; each once.
std::vector<std::string> all_texts(const Json& manifest, const char* key) {
  std::vector<std::string> texts;
  const auto add = [&](const std::string& text) {
    const bool is_new = std::find(texts.begin(), texts.end(), text) == texts.end();
    if (!text.empty() && is_new) texts.push_back(text);
  };
  add(text_in(manifest, key));
  if (!manifest.is_object()) return texts;
  for (const auto& later : manifest.value("continued", Json::array())) add(text_in(later, key));
  return texts;
}

/// Empty of a run without a manifest.
std::string whole_host(const Json& manifest) {
  if (!manifest.is_object()) return "";
  const auto words = fmt::format("{}, {}", host_words(manifest), kernel_words(manifest));
  const auto gpus = gpu_words(manifest);
  return gpus.empty() ? words : fmt::format("{}, {}", words, gpus);
}

}  // namespace

std::vector<RunIdentity> run_identities(const std::vector<report::NamedResult>& runs) {
  const auto manifests = figures::environments(runs);
  std::vector<RunIdentity> identities;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& result = runs[i].result;
    const auto& manifest = manifests.at(i).at("manifest");
    identities.push_back({runs[i].path, result.scenario.at("name"), result.mode,
                          all_texts(manifest, "command"), text_in(manifest, "scenario_hash"),
                          result.comparison_hash, all_texts(manifest, "git_commit"),
                          whole_host(manifest), result.cells.size(),
                          report::planned_cells(result)});
  }
  return identities;
}

}  // namespace pacbench::reproduce
