#pragma once

#include <string>

#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// Whether each of 4096 prunable weights is kept, or each of all when there are fewer: one bit a
/// weight, lowest first, as hexadecimal digits. Which weights are looked at depends on their number
/// alone, so that samples of any two cells of a model may be compared
/// (contract/result/mask_overlap.h).
std::string mask_sample(const WeightMasks& masks);

}  // namespace pacbench::trainer
