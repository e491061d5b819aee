#pragma once

#include <array>
#include <set>
#include <string>
#include <vector>

#include "analysis/compare/pairing.h"
#include "base/words.h"
#include "contract/catalogue/catalogue.h"

namespace pacbench::compare {

/// The largest accepted difference of measured wire bytes, as a fraction of the base's.
/// Acknowledgements and retransmissions vary.
constexpr double kWireTolerance = 0.01;

/// The check of one quantity of one cell. The quantity does not depend on time.
struct GateCheck {
  enum class Found {
    kEqual,
    kBroken,    ///< the sides differ
    kUnstable,  ///< undecided: runs of one side differ, or values are missing
    kNotAsked,  ///< the check does not apply: the reason is in `words`
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
/// must agree exactly. Curves must agree bit by bit where equal bits are promised (why_no_bits()).
/// Measured wire bytes, medians over runs whose links are not suspect, must agree within
/// kWireTolerance; mode learn has none. A method whose message sizes depend on gradients sends
/// other bytes with every seed or processor. So, where equal bits are not promised, a difference in
/// payload, collectives or expected bytes becomes kNotAsked if it is no larger than that between
/// base seeds. For a method in `by_time` only the end is checked.
std::vector<GateCheck> check_gate(const std::vector<CellPair>& pairs,
                                  const std::set<std::string>& by_time = {});

/// The labels of those methods of a canonical scenario that decide by measured times
/// (MethodTraits::depends_on_time).
std::set<std::string> labels_by_time(const Json& scenario, const Catalogue& catalogue);

}  // namespace pacbench::compare
