#pragma once

#include <utility>
#include <vector>

#include "contract/worker/worker_spec.h"
#include "trainer/methods/pruning_plan.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// The masks of pruning plans, kept because choosing masks may take longer than everything else.
using KnownMasks = std::vector<std::pair<PruningPlan, WeightMasks>>;

/// Replaces zeros in gradients by tiny numbers. In training, where no sample of one worker moves a
/// weight, another worker's sample does. Here each rank has its own sample, or one is alone, and
/// zeros lie elsewhere in each draw. With zeros, a method that finds its mask in the gradients
/// would never settle on one.
void without_zeros(const std::vector<at::Tensor>& gradients);

/// Returns the recorded exchanges of a method whose ranks all make the same calls, for gradients
/// alone. Rank 0 runs one bucket after another; the other ranks are simulated with rank 0's data
/// (collectives/identical_ranks.h). Throws what the method throws. Throws std::runtime_error for
/// calls that equal ranks would not make, with unequal parts or another root, and for a method that
/// makes the optimiser's step itself.
MethodExchanges exchanges_of_lone_rank(const WorkerSpec& spec, KnownMasks& known);

}  // namespace pacbench::trainer
