#pragma once

#include <string>

#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// The masks of 4096 prunable weights, drawn with replacement, or of all prunable weights where
/// these are at most 4096: one bit for each weight (1: kept), lowest first, as hexadecimal digits.
/// Which weights are sampled depends only on how many are prunable, so that samples of any two
/// cells of a model may be compared (contract/result/mask_overlap.h).
std::string mask_sample(const WeightMasks& masks);

}  // namespace pacbench::trainer
