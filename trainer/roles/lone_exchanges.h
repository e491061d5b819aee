#pragma once

#include <utility>
#include <vector>

#include "contract/worker/worker_spec.h"
#include "trainer/averaging/pruning_plan.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// The masks of pruning plans, kept because choosing masks may take longer than everything else.
using KnownMasks = std::vector<std::pair<PruningPlan, WeightMasks>>;

/// Returns the recorded exchanges of a method whose ranks all make the same calls, and only for
/// gradients. Rank 0 runs one bucket after another. The other ranks are simulated with its data
/// (collectives/identical_ranks.h). Throws what the method throws. Throws std::runtime_error for
/// calls that equal ranks would not make, with unequal parts or a root other than rank 0, and for a
/// method that makes the optimiser's step itself.
MethodExchanges exchanges_of_lone_rank(const WorkerSpec& spec, KnownMasks& known);

}  // namespace pacbench::trainer
