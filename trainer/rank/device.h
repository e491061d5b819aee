#pragma once

#include <c10/core/Device.h>

#include "contract/worker/gpus.h"
#include "contract/worker/worker_spec.h"

namespace pacbench::trainer {

/// The device of a rank. It is the CPU where the specification says so. Otherwise roles train and
/// compose, whose ranks are processes, get the rank's GPU, which other ranks may share; other roles
/// get the first GPU. A GPU becomes the calling thread's current device. torch's library for GPUs
/// is loaded at run time, from the folder of torch's library for the CPU. Throws ConfigError with
/// the reason when there is no GPU, or too few.
c10::Device compute_device(const WorkerSpec& spec);

/// The GPUs and the version of NCCL that a worker can use on this machine, or why it can use none.
/// Never throws because something is missing.
Devices devices();

}  // namespace pacbench::trainer
