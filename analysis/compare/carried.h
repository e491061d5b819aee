#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/pairing.h"

namespace pacbench::compare {

/// A number that can be compared between two machines, as it depends little on how fast they
/// compute. It is a median, or a ratio of medians, over all done cells whose links are not suspect.
struct CarriedRow {
  std::string label;
  std::string link;
  std::string quantity;  ///< "step / all-reduce's", "iterations to 95 %"
  std::optional<double> base;
  std::optional<double> next;
  std::string note;  ///< why both sides may differ; empty where they should agree
};

/// Returns two kinds of rows for every method and link with usable cells on both sides. The first
/// is the median time per iteration, divided by that of all-reduce on the same side. All-reduce
/// itself has no such row, nor has a link without all-reduce on both sides. The second is the
/// median of the iterations to each target that all cells look for. It is over the cells that
/// reached the target, and absent where half or more did not. `note` names a method that is
/// cpu-bound, so that its step depends on the number of cores. For iterations it says where the
/// sides may add floats in different orders (why_no_bits()), so that iterations may differ. Mode
/// learn has only the rows of iterations.
std::vector<CarriedRow> carried_rows(const std::vector<CellPair>& pairs);

}  // namespace pacbench::compare
