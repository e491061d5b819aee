#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/compare/pairing.h"
#include "base/words.h"

namespace pacbench::compare {

/// How far measured wire bytes may be apart, as a share, for acknowledgements and retransmissions.
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

/// Checks that every cell came to its end. Payload, collectives and expected bytes per iteration
/// must agree exactly, the curve bit by bit where CPU model, cores and torch are the same. Measured
/// wire bytes, medians over runs whose links are not suspect, must agree within kWireTolerance. A
/// method whose sizes follow gradients sends other bytes with every seed or processor: between
/// different processors, a difference below that between seeds counts as not asked.
std::vector<GateCheck> check_gate(const std::vector<CellPair>& pairs);

}  // namespace pacbench::compare
