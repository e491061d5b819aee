#pragma once

#include <utility>
#include <vector>

#include "contract/worker/worker_spec.h"
#include "trainer/methods/pruning_plan.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// The masks of pruning plans, kept because choosing masks may take longer than everything else.
using KnownMasks = std::vector<std::pair<PruningPlan, WeightMasks>>;

/// Replaces zeros in gradients by tiny numbers. In training, a weight whose gradient is zero on one
/// worker mostly has a non-zero gradient on another. Here a rank may be alone, and its drawn
/// gradients have their zeros at other places in each iteration. A method that takes its mask from
/// the zeros of the gradients would never settle on a mask.
void without_zeros(const std::vector<at::Tensor>& gradients);

/// Returns the recorded exchanges of a method whose ranks all make the same calls, for gradients
/// alone. Rank 0 runs one bucket after another; the other ranks are simulated with rank 0's data
/// (collectives/identical_ranks.h). Throws what the method throws. Throws std::runtime_error for
/// calls that equal ranks would not make, with unequal parts or another root, and for a method that
/// makes the optimiser's step itself.
MethodExchanges exchanges_of_lone_rank(const WorkerSpec& spec, KnownMasks& known);

}  // namespace pacbench::trainer
