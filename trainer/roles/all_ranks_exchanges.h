#pragma once

#include "contract/worker/worker_spec.h"

namespace pacbench::trainer {

/// Returns the recorded exchanges of a method whose ranks make different calls, whose calls repeat
/// only after several iterations, or which exchanges something other than gradients. All ranks run
/// in this process, one after another, with gradients of their own (compose/ranks_in_turn.h).
/// Iterations before the method's calls repeat are left out. Throws what the method throws, and
/// std::runtime_error for a method with a pruning plan, since this function makes no masks.
MethodExchanges exchanges_of_all_ranks(const WorkerSpec& spec);

}  // namespace pacbench::trainer
