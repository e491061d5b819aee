#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/pairing.h"

namespace pacbench::compare {

/// A number that two machines may be held against each other by: it does not depend on how fast
/// either computes. Medians over all runs and seeds whose links are not suspect.
struct CarriedRow {
  std::string label;
  std::string link;
  std::string quantity;  ///< "step / all-reduce's", "iterations to accuracy 0.95"
  std::optional<double> base;
  std::optional<double> next;
  std::string note;  ///< why it need not be the same; empty where it should be
};

/// For every method and link that both sides have, the time per iteration over that of all-reduce
/// of the same side, and the iterations to each target. A step that computing sets on a side
/// differs with the cores, and iterations of another processor or torch by the order of additions:
/// the note says so. Empty in mode learn but for iterations.
std::vector<CarriedRow> carried_rows(const std::vector<CellPair>& pairs);

}  // namespace pacbench::compare
