#pragma once

#include <string>
#include <vector>

#include "contract/worker/worker_event.h"

namespace pacbench::figures {

/// The events of all ranks about one iteration, in the order of ranks; empty when there is none.
using IterationOfRanks = std::vector<IterationEvent>;

/// Returns the first iteration of a cell whose step on rank 0 is within 1 % of
/// `time_per_iteration_s`, the cell's median. The first one is taken so that little of a long file
/// is read. If no step is that near, it returns the iteration whose step is nearest. Iteration 1 is
/// left out, as it is from the median. The result is empty for a user's own program, whose steps
/// have no phases, and without recorded lines. Throws ConfigError naming file and line when a line
/// cannot be read.
IterationOfRanks typical_iteration(const std::string& cell_folder, int workers,
                                   double time_per_iteration_s);

}  // namespace pacbench::figures
