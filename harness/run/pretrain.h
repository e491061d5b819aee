#pragma once

#include <string>

#include "contract/scenario/scenario.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"
#include "harness/run/progress.h"

namespace pacbench::run {

/// The initial weights that all methods of a seed share. A file that the scenario names serves all
/// seeds.
struct Checkpoint {
  std::string path;       ///< empty: random weights
  double pretrain_s = 0;  ///< time of making it, in this or an earlier run
};

/// Returns the checkpoint of a seed. A scenario that does not pre-train names its file or uses
/// random weights. Otherwise a worker of role pretrain makes the file, unless an earlier run did.
/// The file's name is the SHA-256 of all that its weights depend on. Throws what run_alone throws.
Checkpoint ensure_checkpoint(const Scenario& scenario, std::int64_t seed,
                             const std::string& torch_version, const Programs& programs,
                             const Interrupt& interrupt, Progress& progress);

}  // namespace pacbench::run
