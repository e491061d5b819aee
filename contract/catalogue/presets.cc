#include "contract/catalogue/presets.h"

#include <algorithm>

namespace pacbench {
namespace {

template <typename Named>
const Named* find_named(const std::vector<Named>& all, const Json& entry, const char* key) {
  const auto name = entry.find(key);
  if (name == entry.end() || !name->is_string()) return nullptr;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Named& one) { return *name == one.name; });
  return found == all.end() ? nullptr : &*found;
}

const OptionSpec* find_option(const MethodInfo& method, const std::string& name) {
  const auto found = std::find_if(method.options.begin(), method.options.end(),
                                  [&](const OptionSpec& option) { return option.name == name; });
  return found == method.options.end() ? nullptr : &*found;
}

/// Whether an option has an effect, given the other options of the entry and of the preset.
bool has_effect(const MethodInfo& method, const std::string& name, const Json& entry,
                const Json& preset) {
  const auto* option = find_option(method, name);
  if (option == nullptr || !option->only_with) return true;
  const auto& [other, values] = *option->only_with;
  const auto* beside = find_option(method, other);
  const Json fallback = beside == nullptr ? Json{} : beside->default_value;
  const auto value = entry.value(other, preset.value(other, fallback));
  return std::find(values.begin(), values.end(), value) != values.end();
}

void expand(Json& entry, const Catalogue& catalogue) {
  if (!entry.is_object()) return;
  const auto* method = find_named(catalogue.methods, entry, "name");
  if (method == nullptr) return;
  const auto* preset = find_named(method->presets, entry, "preset");
  if (preset == nullptr) return;
  for (const auto& [name, value] : preset->options.items()) {
    if (!entry.contains(name) && has_effect(*method, name, entry, preset->options)) {
      entry[name] = value;
    }
  }
}

}  // namespace

Json with_presets(Json scenario, const Catalogue& catalogue) {
  if (!scenario.is_object() || !scenario.contains("methods")) return scenario;
  auto& methods = scenario["methods"];
  if (!methods.is_array()) return scenario;
  for (auto& entry : methods) expand(entry, catalogue);
  return scenario;
}

}  // namespace pacbench
