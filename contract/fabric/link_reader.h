#pragma once

#include <string>

#include "contract/fabric/network.h"

namespace pacbench {

/// The surroundings that a link profile is checked against.
struct LinkSurroundings {
  int workers = 0;
  bool has_edge = false;  ///< workers' links are others than those that the profile is of
  std::string source;     ///< of the scenario: traces are relative to its folder
};

/// Reads one link profile, all of its keys; what is wrong with it is told through `reader`.
LinkProfile read_link(ObjectReader& reader, const LinkSurroundings& around);

}  // namespace pacbench
