#pragma once

#include <cstdint>
#include <vector>

#include "trainer/averaging/pruning_plan.h"
#include "trainer/data/dataset.h"
#include "trainer/models/model.h"
#include "trainer/pruning/importance.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// The fraction of the prunable weights that is pruned after `step` (1 to plan.steps). It grows by
/// a cubic law, fast at first and ever more slowly towards plan.ratio, which the last step reaches
/// exactly (Zhu and Gupta 2017, arXiv 1710.01878, section 3). A plan of one step prunes plan.ratio
/// at once. Throws std::logic_error for another step.
double ratio_of_step(const PruningPlan& plan, std::int64_t step);

/// The importance of each weight by plan.score. Throws ConfigError for an unknown word in the plan.
Importances importances_of(Model& model, const Dataset& dataset, const PruningPlan& plan,
                           std::int64_t seed);

/// How many weights of a layer of this shape are always kept.
std::int64_t layer_floor(const at::Tensor& weights);

/// Removes exactly round(ratio · n) of the n prunable weights: the least important ones, and among
/// equals the later ones first. One threshold for all layers lets unimportant layers lose more.
/// With `per_layer` it removes round(ratio · size) of each layer's weights in the same order. Every
/// layer keeps at least one hundredth of its weights and at least as many as one filter (or row)
/// has, so no layer is cut off: other layers lose more instead, or with `per_layer` fewer weights
/// are removed. Weights that `present` has pruned are always among the removed ones; an empty
/// `present` has pruned none. Throws ConfigError, which names the sum of all layers' floors, when
/// `ratio` would leave fewer weights. Throws std::runtime_error when an importance is not finite,
/// and std::logic_error when `present` has pruned more weights than `ratio` allows.
WeightMasks masks_of(const std::vector<Parameter>& parameters, const Importances& importances,
                     double ratio, const WeightMasks& present = {}, bool per_layer = false);

/// Decides which weights to keep when the fraction `ratio` of the prunable ones must go, by their
/// `importances`. `ratio` is that of the plan or of one of its steps. Weights that `present` has
/// pruned stay pruned; an empty `present` has pruned none. Changes nothing. Call it on one rank,
/// which must send the packed masks to the others. Throws ConfigError when layers must keep more
/// weights than plan.ratio leaves, already in the first step. Throws as `masks_of` and `normalise`
/// too.
WeightMasks choose_masks(const std::vector<Parameter>& parameters, Importances importances,
                         const PruningPlan& plan, double ratio, const WeightMasks& present);

/// RigL's step (Evci et al. 2020, arXiv 1911.11134, section 3): in each layer, the fraction `share`
/// of the kept weights is pruned: those of least magnitude. Then as many weights grow, where the
/// parameters' gradients are largest in magnitude among all weights that are not kept. A weight
/// that was just pruned may come back. The same weights and gradients give the same masks.
WeightMasks regrown(const WeightMasks& masks, const std::vector<Parameter>& parameters,
                    double share);

}  // namespace pacbench::trainer
