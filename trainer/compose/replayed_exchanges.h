#pragma once

#include <memory>

#include "contract/worker/worker_spec.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer {

/// Exchanges as a profile of a method has them (contract/catalogue/method_exchanges.h): for each
/// bucket, and around the optimiser's step, the collectives that the method calls on this rank in
/// this iteration, over the real group and its sub-groups, with payloads of the same types and
/// sizes that hold nothing of the gradient; and in between sleep, `compute_factor` times as long as
/// the method worked there. Gradients and weights are never touched.
std::unique_ptr<Method> make_replayed(MethodExchanges exchanges, double compute_factor);

/// The replay of the method that a worker of role compose stands for. Throws ConfigError when its
/// profile lacks it.
std::unique_ptr<Method> make_replayed(const WorkerSpec& spec);

}  // namespace pacbench::trainer
