#pragma once

#include "contract/worker/worker_spec.h"

namespace pacbench::trainer {

/// Exchanges of a method whose ranks differ, in what they send or in which collectives they take
/// part, or that exchanges weights every so often: all ranks in this process, with gradients of
/// their own, one after another (compose/ranks_in_turn.h). Iterations before the method's calls
/// repeat are left out. Throws what the method throws, and std::runtime_error for a method that
/// prunes weights by the trainer's stage, whose masks are not made here.
MethodExchanges exchanges_of_all_ranks(const WorkerSpec& spec);

}  // namespace pacbench::trainer
