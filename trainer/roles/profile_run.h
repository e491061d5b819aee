#pragma once

#include "contract/worker/worker_spec.h"

namespace pacbench::trainer {

/// Role profile: trains alone for max_iterations after a few that are not timed, times each one's
/// forward pass, the moments at which its buckets become ready, and the optimiser, and writes a
/// sample of the gradients of the middle one to `checkpoint`. Then one line on standard output:
/// {"event": "profiled", "buckets", "iterations", "counts"} as a profile has them
/// (contract/profile/profile.h) and "flop_per_sample" of forward and backward. Throws what training
/// throws.
void run_profile(const WorkerSpec& spec);

}  // namespace pacbench::trainer
