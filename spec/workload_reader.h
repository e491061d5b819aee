#pragma once

#include <algorithm>

#include "spec/scenario.h"

namespace pacbench {

/// Reads the name of one of `all` and its options, defaults filled in.
template <typename Info>
Choice read_choice(ObjectReader& reader, const std::vector<Info>& all) {
  std::vector<std::string> names;
  for (const auto& info : all) names.push_back(info.name);
  Choice choice;
  choice.name = reader.choice("name", names);
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Info& info) { return info.name == choice.name; });
  // The options of an unknown thing cannot be judged; its name has been complained of already.
  if (!reader.has("name") || found == all.end() || reader.raw("name") != choice.name) {
    reader.ignore_rest();
    return {};
  }
  choice.options = read_options(reader, found->options, methods_among(all));
  return choice;
}

/// Reads the workload of a scenario; what is wrong with it is told through `reader`. A file that it
/// names is relative to the folder of `source`.
Workload read_workload(ObjectReader reader, const Catalogue& catalogue, const std::string& source);

}  // namespace pacbench
