#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/compare/pairing.h"
#include "base/words.h"

namespace pacbench::compare {

/// How far measured wire bytes may be off: acknowledgements and what TCP sends again.
constexpr double kWireTolerance = 0.01;

/// One quantity of one cell that does not depend on time.
struct GateCheck {
  enum class Found {
    kEqual,
    kBroken,    ///< the sides differ
    kUnstable,  ///< runs of one side differ among themselves: nothing can be said
    kNotAsked,  ///< the reason is in `words`
  };
  std::string label;
  std::string link;
  std::int64_t seed = 0;
  std::string quantity;
  std::string base;  ///< as text; empty where there is nothing to show
  std::string next;
  Found found = Found::kEqual;
  std::string words;  ///< why it is not equal
};

}  // namespace pacbench::compare

namespace pacbench {

template <>
struct Words<compare::GateCheck::Found> {
  static constexpr std::array kAll{"equal", "broken", "inconclusive", "not asked"};
};

}  // namespace pacbench

namespace pacbench::compare {

/// The checks of every cell: that it came to its end, payload, collectives and expected bytes per
/// iteration exactly, the learning curve bit by bit where CPU model, cores and torch are the same,
/// and measured wire bytes, medians over the runs whose links are not suspect, within
/// kWireTolerance. A method whose sizes follow gradients sends other bytes with every seed, and on
/// another processor too: between two of these a difference below that of seeds is not asked after.
std::vector<GateCheck> check_gate(const std::vector<CellPair>& pairs);

}  // namespace pacbench::compare
