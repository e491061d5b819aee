#pragma once

#include <memory>

#include "contract/worker/worker_spec.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer {

/// The collective that a step is among so many ranks. Throws std::invalid_argument for a name that
/// it does not know, and for a send-receive, whose ranks a step does not name.
PlannedCollective plan_of(const MethodExchanges::Step& step, int rank, int size);

/// Exchanges as a profile of a method has them (contract/catalogue/method_exchanges.h): for each
/// bucket the collectives that the method calls, over the real group, with payloads of the same
/// types and sizes that hold nothing of the gradient; and in between sleep, `compute_factor` times
/// as long as the method worked there. The gradient is never touched.
std::unique_ptr<Method> make_replayed(MethodExchanges exchanges, double compute_factor);

/// The replay of the method that a worker of role compose stands for. Throws ConfigError when its
/// profile lacks it.
std::unique_ptr<Method> make_replayed(const WorkerSpec& spec);

}  // namespace pacbench::trainer
