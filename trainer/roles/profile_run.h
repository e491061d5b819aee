#pragma once

#include "contract/worker/worker_spec.h"

namespace pacbench::trainer {

/// Role profile: trains without exchanging anything, on a share of the cores, for max_iterations,
/// after three that are not timed. For each iteration it times the forward pass, the moments at
/// which buckets become ready, and the optimiser. Writes a sample of the middle iteration's
/// gradients to `checkpoint`, where that is given. Then prints one line on standard output:
/// {"event": "profiled", "buckets", "iterations", "counts"} as in a profile
/// (contract/profile/profile.h), and "flop_per_sample" of forward and backward. "counts" is null
/// where no sample is written. Throws what training throws.
void run_profile(const WorkerSpec& spec);

}  // namespace pacbench::trainer
