#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/pairing.h"

namespace pacbench::compare {

/// A number by which two machines can be compared, as it does not depend on how fast either
/// computes. Values are medians over all runs and seeds whose links are not suspect.
struct CarriedRow {
  std::string label;
  std::string link;
  std::string quantity;  ///< "step / all-reduce's", "iterations to accuracy 0.95"
  std::optional<double> base;
  std::optional<double> next;
  std::string note;  ///< why both sides may differ; empty where they should agree
};

/// For every method and link that both sides have, the time per iteration over that of all-reduce
/// of the same side, and the iterations to each target. A cpu-bound step differs with the number of
/// cores. Iterations differ with the processor or torch, by the order of additions. The note says
/// so. Mode learn has the rows of iterations alone.
std::vector<CarriedRow> carried_rows(const std::vector<CellPair>& pairs);

}  // namespace pacbench::compare
