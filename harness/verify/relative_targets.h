#pragma once

#include <string>
#include <vector>

#include "contract/catalogue/catalogue.h"
#include "contract/result/result.h"
#include "contract/scenario/scenario.h"
#include "contract/worker/worker_event.h"

namespace pacbench::verify {

/// The evaluations of a done cell of all-reduce, one at least.
using Curve = std::vector<EvaluationEvent>;

/// Turns the targets that a scenario gives as shares of all-reduce into values, medians over
/// `curves`. A share of accuracy is multiplied by the final accuracy. A share of the iterations
/// gives the loss of the last evaluation up to that iteration, or of the first evaluation where all
/// are later. Returns none without a curve.
std::vector<Target> targets_of_shares(const Scenario& scenario, const std::vector<Curve>& curves);

/// For a run whose scenario has targets as shares of all-reduce, writes their values as targets
/// into the manifest and counts the run's cells anew (recount.h). Returns the new result. Changes
/// nothing and returns `result` when no done cell of all-reduce has a curve. Throws as recount()
/// does.
RunResult with_targets_of_shares(const std::string& folder, const Catalogue& catalogue,
                                 RunResult result);

}  // namespace pacbench::verify
