#pragma once

#include <cstdint>

#include "trainer/averaging/pruning_plan.h"

namespace pacbench::trainer {

/// The fraction of the prunable weights that is pruned after `step` (1 to plan.steps). It grows by
/// a cubic law, fast at first and ever more slowly towards plan.ratio, which the last step reaches
/// exactly (Zhu and Gupta 2017, arXiv 1710.01878, section 3). A plan of one step prunes plan.ratio
/// at once. Throws std::logic_error for another step.
double ratio_of_step(const PruningPlan& plan, std::int64_t step);

}  // namespace pacbench::trainer
