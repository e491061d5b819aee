#pragma once

#include "contract/worker/worker_spec.h"

namespace pacbench::trainer {

/// Role profile-exchanges: rank 0 of `workers` that hold what it holds
/// (collectives/identical_ranks.h) runs each of the specification's exchanges with gradients of
/// `compose`'s sample, all pruning done, for `compose`'s iterations, one bucket after another on
/// all cores. Then one line on standard output: {"event": "exchanges-profiled", "exchanges": […]},
/// the latter as in a profile (contract/catalogue/method_exchanges.h). Methods that plan the same
/// pruning share its masks. Throws what the method throws, and std::runtime_error for one that does
/// what cannot be replayed: collectives of some ranks only, shares or roots that a profile does not
/// tell, the optimiser's step.
void run_exchange_profile(const WorkerSpec& spec);

}  // namespace pacbench::trainer
