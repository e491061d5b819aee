#pragma once

#include <string>

#include "contract/network/network.h"

namespace pacbench {

/// The surroundings that a link profile is checked against.
struct LinkSurroundings {
  int workers = 0;
  bool has_edge = false;  ///< the profile describes links between switches, not workers' links
  std::string source;     ///< path of the scenario: traces are relative to its folder
};

/// Reads one link profile, except for topology, groups and shape, which the caller has read before.
/// Errors are reported through `reader`.
LinkProfile read_link(ObjectReader& reader, const LinkSurroundings& around);

}  // namespace pacbench
