#pragma once

#include "contract/worker/worker_spec.h"

namespace pacbench::trainer {

/// Role profile-exchanges: runs each of the specification's exchanges among `workers` ranks for at
/// least `compose`'s iterations, one bucket after another on all cores. Gradients come from
/// `compose`'s sample, and all pruning is done before. Where all ranks make the same calls in every
/// iteration, and only for gradients, rank 0 is alone (lone_exchanges.h); else all ranks take turns
/// (all_ranks_exchanges.h). Then prints one line on standard output: {"event":
/// "exchanges-profiled", "exchanges": […]}, with exchanges as in a profile
/// (contract/catalogue/method_exchanges.h). Methods that plan the same pruning share its masks.
/// Throws what the method throws. Throws std::runtime_error for a method whose buckets wait for
/// each other or that makes the optimiser's step itself. When all ranks take turns, also throws it
/// for too many ranks and for a method that prunes.
void run_exchange_profile(const WorkerSpec& spec);

}  // namespace pacbench::trainer
