#include "contract/catalogue/choice_json.h"

namespace pacbench {

Json choice_to_json(const Choice& choice) {
  Json node = choice.options;
  node["name"] = choice.name;
  return node;
}

Choice choice_from_canonical_json(const Json& node) {
  Choice choice{node.at("name"), node};
  choice.options.erase("name");
  return choice;
}

}  // namespace pacbench
