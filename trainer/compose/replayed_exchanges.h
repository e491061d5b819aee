#pragma once

#include <memory>

#include "contract/worker/worker_spec.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer {

/// The collective that a recorded step makes `rank` of `size` ranks call. Throws
/// std::invalid_argument for an unknown operation or type, and for a send-receive that does not say
/// to which rank it sends.
PlannedCollective plan_of(const MethodExchanges::Step& step, int rank, int size);

/// A method that replays a profile's exchanges (contract/catalogue/method_exchanges.h). For each
/// bucket, after all buckets, and around the optimiser's step, it calls the recorded collectives of
/// this rank and iteration over the real group and its sub-groups. Payloads have the recorded types
/// and sizes but hold nothing of the gradient. Where the recorded method worked, it sleeps
/// `compute_factor` times as long. Before the optimiser's step it asks for the loss as often as the
/// recorded method did (OptimizerView::loss). It changes neither gradients nor weights.
std::unique_ptr<Method> make_replayed(MethodExchanges exchanges, double compute_factor);

/// The method of a worker of role compose, replayed. Throws ConfigError when the worker's profile
/// lacks that method's exchanges.
std::unique_ptr<Method> make_replayed(const WorkerSpec& spec);

}  // namespace pacbench::trainer
