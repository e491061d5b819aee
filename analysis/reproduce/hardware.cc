#include "analysis/reproduce/hardware.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <vector>

namespace pacbench::reproduce {

std::optional<store::Manifest> manifest_beside(const store::NamedResult& run) {
  if (!std::filesystem::exists(run.folder() + "/manifest.json")) return std::nullopt;
  return store::read_manifest(run.folder());
}

std::string host_words(const std::optional<store::Manifest>& manifest) {
  if (!manifest) return "unknown host";
  return fmt::format("{}, {} cores", manifest->environment.cpu, manifest->environment.cores);
}

std::string kernel_words(const std::optional<store::Manifest>& manifest) {
  return manifest ? manifest->environment.kernel : "unknown kernel";
}

std::string gpu_words(const std::optional<store::Manifest>& manifest) {
  if (!manifest || !manifest->devices.is_object()) return "";
  std::map<std::string, int> counts;
  for (const auto& name : manifest->devices.value("gpus", Json::array())) {
    ++counts[name.get<std::string>()];
  }
  std::vector<std::string> words;
  for (const auto& [name, count] : counts) {
    words.push_back(count == 1 ? name : fmt::format("{} × {}", count, name));
  }
  return fmt::format("{}", fmt::join(words, " and "));
}

}  // namespace pacbench::reproduce
