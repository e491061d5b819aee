#pragma once

#include "contract/result/result.h"

namespace pacbench {

/// Time per iteration of a cell in seconds: the training clock without pruning, over the number of
/// iterations. Unlike the median `time_per_iteration_s`, this mean counts the exchanges of a method
/// that does not exchange in every iteration. Returns 0 for a cell that ran no iteration.
double mean_iteration_s(const CellResult& cell);

}  // namespace pacbench
