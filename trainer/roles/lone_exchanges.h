#pragma once

#include <utility>
#include <vector>

#include "contract/worker/worker_spec.h"
#include "trainer/methods/pruning_plan.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// The masks of pruning plans, kept because choosing masks may take longer than everything else.
using KnownMasks = std::vector<std::pair<PruningPlan, WeightMasks>>;

/// Replaces zeros in gradients by tiny numbers. In training, a weight that no sample of one worker
/// moves is moved by another's. Here each rank has its own sample, or one is alone, and zeros lie
/// elsewhere in each draw: with zeros a mask that is found out would never settle.
void without_zeros(const std::vector<at::Tensor>& gradients);

/// Exchanges of a method whose ranks call the same for gradients alone: rank 0 of ranks that all
/// hold what it holds (collectives/identical_ranks.h), one bucket after another. Throws what the
/// method throws, and std::runtime_error for shares or roots that are not those of ranks alike.
MethodExchanges exchanges_of_lone_rank(const WorkerSpec& spec, KnownMasks& known);

}  // namespace pacbench::trainer
