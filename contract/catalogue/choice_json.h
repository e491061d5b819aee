#pragma once

#include <algorithm>

#include "contract/catalogue/catalogue.h"
#include "contract/catalogue/choice.h"

namespace pacbench {

/// The canonical JSON of a choice: its options and "name" in one object.
Json choice_to_json(const Choice& choice);

/// The inverse of choice_to_json(), for documents that pacbench itself wrote: nothing is checked
/// again. Throws nlohmann::json::exception.
Choice choice_from_canonical_json(const Json& node);

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
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Info& info) { return info.name == choice.name; });
  // Without a known name the options cannot be judged. The name has been reported already.
  if (!reader.has("name") || found == all.end() || reader.raw("name") != choice.name) {
    reader.ignore_rest();
    return {};
  }
  choice.options = read_options(reader, found->options, methods_among(all));
  return choice;
}

}  // namespace pacbench
