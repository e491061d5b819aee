#include "harness/text/difference.h"

#include <algorithm>
#include <set>

namespace pacbench {
namespace {

std::optional<Difference> between_objects(const Json& found, const Json& expected,
                                          const std::string& pointer) {
  std::set<std::string> keys;
  for (const auto* document : {&found, &expected}) {
    for (const auto& [key, value] : document->items()) keys.insert(key);
  }
  for (const auto& key : keys) {
    auto below = pointer + "/";
    below += key;
    if (!found.contains(key)) return Difference{below, "nothing", describe_found(expected.at(key))};
    if (!expected.contains(key)) return Difference{below, describe_found(found.at(key)), "nothing"};
    if (auto part = first_difference(found.at(key), expected.at(key), below)) return part;
  }
  return std::nullopt;
}

std::optional<Difference> between_arrays(const Json& found, const Json& expected,
                                         const std::string& pointer) {
  for (std::size_t i = 0; i < std::max(found.size(), expected.size()); ++i) {
    const auto below = pointer + "/" + std::to_string(i);
    if (i >= found.size()) return Difference{below, "nothing", describe_found(expected.at(i))};
    if (i >= expected.size()) return Difference{below, describe_found(found.at(i)), "nothing"};
    if (auto part = first_difference(found.at(i), expected.at(i), below)) return part;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Difference> first_difference(const Json& found, const Json& expected,
                                           const std::string& pointer) {
  if (found.is_object() && expected.is_object()) return between_objects(found, expected, pointer);
  if (found.is_array() && expected.is_array()) return between_arrays(found, expected, pointer);
  if (found == expected) return std::nullopt;
  return Difference{pointer, describe_found(found), describe_found(expected)};
}

}  // namespace pacbench
