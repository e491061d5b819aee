#pragma once

#include "contract/result/result.h"

namespace pacbench {

/// Mean time per iteration of a cell in seconds: the training clock without pruning, divided by the
/// number of iterations. Returns 0 for a cell without iterations.
double mean_iteration_s(const CellResult& cell);

/// Time per iteration of a cell in seconds, without the first iteration: the median step where each
/// iteration exchanges, else the time over whole periods (`period_step_s`). Where the cell has no
/// such time, it is mean_iteration_s(). All tables, gates and comparisons use this time.
double step_time_s(const CellResult& cell);

}  // namespace pacbench
