#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json/object_schema.h"
#include "base/json/read_keys.h"

namespace pacbench::checked_keys {
namespace {

/// Returns a bound as JSON: 1 and not 1.0 when it is whole.
Json bound(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace

Json number_schema(const char* type, const Range& range) {
  Json schema{{"type", type}};
  if (range.minimum) {
    schema[range.exclusive_minimum ? "exclusiveMinimum" : "minimum"] = bound(*range.minimum);
  }
  if (range.maximum) schema["maximum"] = bound(*range.maximum);
  return schema;
}

bool is_within(const Json& value, const Bounds& bounds) {
  if (value.is_number()) return bounds.range.contains(value.get<double>());
  if (value.is_string()) return bounds.may_be_empty || !value.get_ref<const std::string&>().empty();
  return !value.is_null();
}

Json one_of_kinds(const std::vector<Json>& kinds, const char* key) {
  Json merged = Json::array();
  for (const auto& kind : kinds) {
    auto without_word = [key](Json schema) {
      schema["properties"].erase(key);
      return schema;
    };
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const Json& other) {
      return without_word(other) == without_word(kind);
    });
    if (same == merged.end()) {
      merged.push_back(kind);
    } else {
      (*same)["properties"][key]["enum"].push_back(kind["properties"][key]["enum"][0]);
    }
  }
  return {{"oneOf", merged}};
}

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
