#pragma once

#include <string>
#include <vector>

#include "base/json/schema_parts.h"
#include "contract/catalogue/catalogue.h"

namespace pacbench {

/// A method, model or data set of the catalogue, and its options with every default filled in.
struct Choice {
  std::string name;
  Json options = Json::object();
};

/// The canonical JSON of a choice: its options and "name" in one object.
inline Json choice_to_json(const Choice& choice) {
  Json node = choice.options;
  node["name"] = choice.name;
  return node;
}

/// The inverse of choice_to_json(), for documents that pacbench itself wrote: nothing is checked
/// again. Throws nlohmann::json::exception.
inline Choice choice_from_canonical_json(const Json& node) {
  Choice choice{node.at("name"), node};
  choice.options.erase("name");
  return choice;
}

inline void to_json(Json& json, const Choice& choice) { json = choice_to_json(choice); }
inline void from_json(const Json& json, Choice& choice) {
  choice = choice_from_canonical_json(json);
}

/// Reads a choice: the name of an entry of `all`, and its options with defaults filled in. Returns
/// an empty choice when the name is missing or unknown, which is reported through `reader`.
template <typename Info>
Choice read_choice(ObjectReader& reader, const std::vector<Info>& all) {
  std::vector<std::string> names;
  for (const auto& info : all) names.push_back(info.name);
  Choice choice;
  choice.name = reader.choice("name", names);
  const auto* found = find_named(all, choice.name);
  // Without a known name the options cannot be judged. The name has been reported already.
  if (!reader.has("name") || found == nullptr || reader.raw("name") != choice.name) {
    reader.ignore_rest();
    return {};
  }
  choice.options = read_options(reader, found->options, methods_among(all));
  return choice;
}

}  // namespace pacbench

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
