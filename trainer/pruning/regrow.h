#pragma once

#include <vector>

#include "trainer/models/model.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// RigL's step (Evci et al. 2020, arXiv 1911.11134, section 3): in each layer, the fraction `share`
/// of the kept weights is pruned: those of least magnitude. Then as many weights grow, where the
/// parameters' gradients are largest in magnitude among all weights that are not kept. A weight
/// that was just pruned may come back. The same weights and gradients give the same masks.
WeightMasks regrown(const WeightMasks& masks, const std::vector<Parameter>& parameters,
                    double share);

}  // namespace pacbench::trainer
