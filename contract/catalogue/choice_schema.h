#pragma once

#include <string>
#include <vector>

#include "base/json/schema_parts.h"
#include "contract/catalogue/catalogue.h"

namespace pacbench::schema {

/// The schema of one entry of the catalogue: its name as a constant, and its options. Options whose
/// values are methods may name those of `methods` that only average gradients.
template <typename Info>
Json entry_schema(const Info& info, const std::vector<MethodInfo>& methods) {
  Json properties{{"name", {{"const", info.name}}}};
  std::vector<std::string> required{"name"};
  for (const auto& option : info.options) {
    properties[option.name] = option_schema(option, methods);
    if (option.default_value.is_null()) required.push_back(option.name);
  }
  auto schema = closed_object(properties, required);
  schema["description"] = info.summary;
  return schema;
}

/// The schema of a choice: one of `all`, with its options.
template <typename Info>
Json choice_schema(const std::vector<Info>& all) {
  Json entries = Json::array();
  for (const auto& info : all) entries.push_back(entry_schema(info, methods_among(all)));
  return {{"oneOf", entries}};
}

}  // namespace pacbench::schema
