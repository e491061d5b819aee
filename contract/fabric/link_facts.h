#pragma once

#include <string>
#include <vector>

namespace pacbench {

struct LinkProfile;

/// The facts about its links that a method may look at. With them it may choose between ways to the
/// same result.
struct LinkFacts {
  std::string topology = "star";
  double rate_mbit = 0;          ///< slower direction; a schedule: its first; 0: no link
  std::vector<int> groups = {};  ///< ranks on each switch, in order; star: none

  bool operator==(const LinkFacts&) const = default;
};

LinkFacts link_facts(const LinkProfile& link);

}  // namespace pacbench
