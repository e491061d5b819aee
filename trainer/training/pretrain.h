#pragma once

#include <c10/core/Device.h>

#include "contract/worker/worker_spec.h"

namespace pacbench::trainer {

struct Pretraining {
  double seconds = 0;   ///< training alone, without reading data and measuring accuracy
  double accuracy = 0;  ///< on the training half that it saw: the test half stays unseen
};

/// Trains the workload's model alone on `device`, from random weights, on the training half of
/// `initial.dataset`, and writes the checkpoint, which is the same kind of file wherever it was
/// made. Throws ConfigError when the data set does not
/// have the shape and classes of the workload's, or when the loss stops being a number.
Pretraining pretrain(const WorkerSpec& spec, c10::Device device);

/// The worker's role `pretrain`: as above, and a line {"event": "pretrained", "seconds": ...,
/// "accuracy": ...} on standard output. Returns the exit code.
int run_pretraining(const WorkerSpec& spec, c10::Device device);

}  // namespace pacbench::trainer
