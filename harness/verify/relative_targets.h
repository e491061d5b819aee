#pragma once

#include <string>
#include <vector>

#include "spec/catalogue.h"
#include "spec/result.h"
#include "spec/scenario.h"

namespace pacbench::verify {

/// Accuracies that are `shares` of the final one of all-reduce: of the median over its cells that
/// are done. None when no such cell is.
std::vector<Target> targets_of_shares(const std::vector<double>& shares, const Scenario& scenario,
                                      const std::vector<CellResult>& cells);

/// Puts the targets that shares of all-reduce's accuracy came to into a run's manifest and counts
/// its cells anew (recount.h). The run's scenario has such shares. Does nothing when all-reduce has
/// no cell that is done. Throws as recount() does.
RunResult with_targets_of_shares(const std::string& folder, const Catalogue& catalogue,
                                 RunResult result);

}  // namespace pacbench::verify
