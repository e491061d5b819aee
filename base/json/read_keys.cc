#include "base/json/read_keys.h"

#include <fmt/format.h>

namespace pacbench::checked_keys {

Json read_named_object(ObjectReader& reader, const char* key) {
  const auto& node = reader.raw(key);
  if (!node.is_object() || !node.contains("name") || !node.at("name").is_string()) {
    reader.complain(
        key, fmt::format("found {}, expected an object with a \"name\"", describe_found(node)));
  }
  return node;
}

void check_entries(ObjectReader& reader, const char* key, const Bounds& bounds) {
  const auto& list = reader.raw(key);
  if (!list.is_array() || list.size() >= bounds.least_entries) return;
  reader.complain(key, fmt::format("found {}, expected {} or more entries",
                                   list.empty() ? "an empty list" : describe_found(list),
                                   bounds.least_entries));
}

std::string differs_from_derived(const Json& found, const Json& expected, const char* help) {
  return fmt::format("found {}, expected {}: {}", found.dump(), expected.dump(), help);
}

}  // namespace pacbench::checked_keys
