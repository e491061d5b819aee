#pragma once

#include <cstdint>
#include <vector>

#include "trainer/models/model.h"
#include "trainer/pruning/importance.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// The group of weights of which a ratio is removed.
enum class ShareOf {
  kModel,      ///< one threshold for all layers: unimportant layers lose more
  kEachLayer,  ///< a threshold for each layer
};

/// With kModel, removes exactly round(ratio · n) of the n prunable weights: the least important
/// ones, and among equals the later ones first. With kEachLayer, removes round(ratio · size) of
/// each layer's weights in the same order. Every layer keeps at least one hundredth of its weights
/// and at least as many as one filter (or row) has, so no layer is cut off: other layers lose more
/// instead, or with kEachLayer fewer weights are removed. Weights that `present` has pruned are
/// always among the removed ones; an empty `present` has pruned none. Throws as `check_ratio` does,
/// std::runtime_error when an importance is not finite, and std::logic_error when `present` has
/// pruned more weights than `ratio` allows.
WeightMasks masks_of(const std::vector<Parameter>& parameters, const Importances& importances,
                     double ratio, const WeightMasks& present = {},
                     ShareOf share = ShareOf::kModel);

/// Throws ConfigError when removing `ratio` of the prunable weights would leave fewer than the sum
/// of all layers' floors. The error names that sum.
void check_ratio(const std::vector<Parameter>& parameters, double ratio);

/// How many weights of a layer of this shape are always kept.
std::int64_t layer_floor(const at::Tensor& weights);

}  // namespace pacbench::trainer
