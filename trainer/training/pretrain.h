#pragma once

#include <c10/core/Device.h>

#include "contract/worker/worker_spec.h"

namespace pacbench::trainer {

struct Pretraining {
  double seconds = 0;   ///< training alone, without reading data and measuring accuracy
  double accuracy = 0;  ///< on all training samples; test samples stay unseen
};

/// Trains the workload's model alone on `device`, from random weights, on the training samples of
/// `initial.dataset`. Writes the weights to `checkpoint`, in the same format for every device.
/// Throws ConfigError when the data set does not have the shape and classes of the workload's, or
/// when the loss stops being finite.
Pretraining pretrain(const WorkerSpec& spec, c10::Device device);

/// The worker's role `pretrain`: calls pretrain() and prints a line {"event": "pretrained",
/// "seconds": ..., "accuracy": ...} on standard output. Returns the exit code.
int run_pretraining(const WorkerSpec& spec, c10::Device device);

}  // namespace pacbench::trainer
