#pragma once

#include <string>
#include <vector>

namespace pacbench {

/// The facts about links that a method may look at when it chooses how to exchange.
struct LinkFacts {
  std::string topology = "star";
  double rate_mbit = 0;          ///< of the slower direction; a schedule's first rate; 0: no link
  std::vector<int> groups = {};  ///< chain3 and groups: number of ranks on each switch, in order

  bool operator==(const LinkFacts&) const = default;
};

}  // namespace pacbench
