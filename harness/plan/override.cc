#include "harness/plan/override.h"

#include <fmt/format.h>

namespace pacbench::plan {
namespace {

[[noreturn]] void refuse_change(const std::string& assignment, const std::string& message) {
  throw ConfigError{"--set " + assignment, {{"", message}}};
}

Json value_of(const std::string& text) {
  auto value = parse_json_line(text);
  return value.is_discarded() ? Json(text) : value;
}

Json::json_pointer pointer_of(const std::string& assignment, const std::string& text) {
  try {
    return Json::json_pointer{text};
  } catch (const Json::exception& error) {
    refuse_change(assignment, fmt::format("{} is not a JSON pointer: {}", text, error.what()));
  }
}

/// The keys below a node, for the message to a person who mistyped.
std::string keys_of(const Json& node) {
  if (node.is_array() && node.empty()) return "an empty array";
  if (node.is_array())
    return fmt::format("an array of {} elements, 0 to {}", node.size(), node.size() - 1);
  std::string keys;
  for (const auto& [key, value] : node.items()) keys += (keys.empty() ? "" : ", ") + key;
  return keys.empty() ? "nothing" : keys;
}

}  // namespace

void apply_override(Json& scenario, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || !assignment.starts_with('/')) {
    refuse_change(assignment, "expected /json/pointer=VALUE, such as /workload/max_iterations=10");
  }
  const auto pointer = pointer_of(assignment, assignment.substr(0, equals));
  auto parent = pointer.parent_pointer();
  const auto& key = pointer.back();
  try {
    if (!scenario.contains(parent)) {
      while (!scenario.contains(parent)) parent.pop_back();
      refuse_change(assignment, fmt::format("found nothing at {}; below {} there is {}",
                                            pointer.parent_pointer().to_string(),
                                            parent.empty() ? "the top" : parent.to_string(),
                                            keys_of(scenario.at(parent))));
    }
    auto& node = scenario.at(parent);
    if (node.is_array() && !scenario.contains(pointer)) {
      refuse_change(assignment, fmt::format("there is no element {}: {} is {}", key,
                                            parent.to_string(), keys_of(node)));
    }
    if (!node.is_structured()) {
      refuse_change(assignment, fmt::format("{} is {}, which has no parts", parent.to_string(),
                                            describe_found(node)));
    }
    scenario[pointer] = value_of(assignment.substr(equals + 1));
  } catch (const Json::exception& error) {
    refuse_change(assignment, error.what());
  }
}

}  // namespace pacbench::plan
