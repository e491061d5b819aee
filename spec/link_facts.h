#pragma once

#include <string>
#include <vector>

#include "spec/network.h"

namespace pacbench {

/// What a method may know of the links it will run over, to choose between ways that give the same
/// result.
struct LinkFacts {
  std::string topology = "star";
  double rate_mbit = 0;          ///< 0: there is no link
  std::vector<int> groups = {};  ///< ranks on each switch, in order; star: none

  bool operator==(const LinkFacts&) const = default;
};

inline LinkFacts link_facts(const LinkProfile& link) {
  return {link.topology, link.slower_mbit(), link.groups};
}

}  // namespace pacbench
