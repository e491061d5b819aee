#include "harness/reproduce/hardware.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <vector>

namespace pacbench::reproduce {
namespace {

/// What is at the place, or null.
Json value_at(const Json& manifest, const char* place) {
  return manifest.value(Json::json_pointer{place}, Json());
}

}  // namespace

std::string host_words(const Json& manifest) {
  if (!manifest.is_object() || !manifest.contains("environment")) return "unknown host";
  const auto& host = manifest.at("environment");
  return fmt::format("{}, {} cores", host.value("cpu", "unknown CPU"), host.value("cores", 0));
}

std::string kernel_words(const Json& manifest) {
  const auto kernel = manifest.is_object() ? value_at(manifest, "/environment/kernel") : Json();
  return kernel.is_string() ? kernel.get<std::string>() : "unknown kernel";
}

std::string gpu_words(const Json& manifest) {
  const auto gpus = manifest.is_object() ? value_at(manifest, "/devices/gpus") : Json();
  std::map<std::string, int> counts;
  for (const auto& name : gpus) ++counts[name.get<std::string>()];
  std::vector<std::string> words;
  for (const auto& [name, count] : counts) {
    words.push_back(count == 1 ? name : fmt::format("{} × {}", count, name));
  }
  return fmt::format("{}", fmt::join(words, " and "));
}

}  // namespace pacbench::reproduce
