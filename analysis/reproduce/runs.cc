#include "analysis/reproduce/runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/reproduce/hardware.h"

namespace pacbench::reproduce {
namespace {

/// A text of the program that began the run, and those of the programs that resumed it or counted
/// it anew, each once. None without a manifest.
template <typename Text>
std::vector<std::string> all_texts(const std::optional<store::Manifest>& manifest,
                                   const Text& text_of) {
  std::vector<std::string> texts;
  if (!manifest) return texts;
  texts.push_back(text_of(*manifest));
  for (const auto& later : manifest->continued) {
    const auto& text = text_of(later);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  return texts;
}

/// The host, kernel and GPUs of a run in words; empty without a manifest.
std::string whole_host(const std::optional<store::Manifest>& manifest) {
  if (!manifest) return "";
  const auto words = fmt::format("{}, {}", host_words(manifest), kernel_words(manifest));
  const auto gpus = gpu_words(manifest);
  return gpus.empty() ? words : fmt::format("{}, {}", words, gpus);
}

}  // namespace

std::vector<RunIdentity> run_identities(const std::vector<store::NamedResult>& runs) {
  std::vector<RunIdentity> identities;
  for (const auto& run : runs) {
    const auto& result = run.result;
    const auto manifest = manifest_beside(run);
    identities.push_back({run.path, result.scenario.at("name"), result.mode,
                          all_texts(manifest, [](const auto& one) { return one.command; }),
                          manifest ? manifest->scenario_hash : "", result.comparison_hash,
                          all_texts(manifest, [](const auto& one) { return one.git_commit; }),
                          whole_host(manifest), result.cells.size(), store::planned_cells(result)});
  }
  return identities;
}

}  // namespace pacbench::reproduce
