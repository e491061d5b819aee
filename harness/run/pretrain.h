#pragma once

#include <string>

#include "contract/scenario/scenario.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"
#include "harness/run/progress.h"

namespace pacbench::run {

/// The initial weights of all methods of one seed, or of all seeds when the scenario names a file.
struct Checkpoint {
  std::string path;       ///< empty: random weights
  double pretrain_s = 0;  ///< what making it took, also when it was made by an earlier run
};

/// The checkpoint of a seed: the scenario's own file, or one that is made by a worker of role
/// pretrain unless it is there already, named by the SHA-256 of all that its weights depend on.
/// Throws CommandFailed with the worker's own words when the worker fails or stays stopped
/// (SIGSTOP) for timeout_s, and Interrupted on an interrupt.
Checkpoint ensure_checkpoint(const Scenario& scenario, std::int64_t seed,
                             const std::string& torch_version, const Programs& programs,
                             const Interrupt& interrupt, Progress& progress);

}  // namespace pacbench::run
