#pragma once

#include <cstdint>

#include "trainer/methods/pruning_plan.h"

namespace pacbench::trainer {

/// The share of the prunable weights that is gone after `step` (1 to plan.steps): cubic, much at
/// first and ever less towards plan.ratio, which the last step reaches exactly (Zhu and Gupta 2017,
/// arXiv 1710.01878, section 3). One step prunes once. Throws std::logic_error for another step.
double ratio_of_step(const PruningPlan& plan, std::int64_t step);

}  // namespace pacbench::trainer
