#pragma once

#include <c10/core/Device.h>

#include "contract/worker/gpus.h"
#include "contract/worker/worker_spec.h"

namespace pacbench::trainer {

/// The device of a rank: the CPU; a GPU of its own, or one that it shares, in the roles that are
/// ranks of several processes; else the first GPU. It becomes the calling thread's current device.
/// torch's library for GPUs is loaded at run time, from beside the one for the CPU. Throws
/// ConfigError with the reason when there is no GPU, or too few.
c10::Device compute_device(const WorkerSpec& spec);

/// All that a worker could compute on and communicate with on this machine. Never throws because
/// something is missing.
Devices devices();

}  // namespace pacbench::trainer
