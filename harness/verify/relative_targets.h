#pragma once

#include <string>
#include <vector>

#include "contract/catalogue/catalogue.h"
#include "contract/result/result.h"
#include "contract/scenario/scenario.h"
#include "contract/worker/worker_event.h"

namespace pacbench::verify {

/// A curve of all-reduce, of a cell that is done: one evaluation at least.
using Curve = std::vector<EvaluationEvent>;

/// Returns the targets that all-reduce's shares in a scenario come to, each the median over its
/// curves: shares of the final accuracy; losses at the last evaluation until a share of the
/// iterations is done (at the first one, where that is later). None without a curve.
std::vector<Target> targets_of_shares(const Scenario& scenario, const std::vector<Curve>& curves);

/// Puts the targets that all-reduce sets into a run's manifest and counts its cells anew
/// (recount.h). The run's scenario has such shares. Does nothing when all-reduce has no cell that
/// is done. Throws as recount() does.
RunResult with_targets_of_shares(const std::string& folder, const Catalogue& catalogue,
                                 RunResult result);

}  // namespace pacbench::verify
