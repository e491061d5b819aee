#pragma once

#include "contract/result/result.h"

namespace pacbench {

/// Time per iteration of a cell in seconds: the training clock without pruning, divided by the
/// number of iterations. Unlike the median `time_per_iteration_s`, this mean includes the exchanges
/// of a method that does not exchange in every iteration. Returns 0 for a cell without iterations.
double mean_iteration_s(const CellResult& cell);

}  // namespace pacbench
