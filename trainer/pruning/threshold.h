#pragma once

#include <cstdint>
#include <vector>

#include "trainer/models/model.h"
#include "trainer/pruning/importance.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// Over which weights a share is taken.
enum class ShareOf {
  kModel,      ///< one threshold for all layers: unimportant layers lose more
  kEachLayer,  ///< a threshold for each
};

/// Removes exactly round(ratio · n) of the n prunable weights, the least important ones of the
/// whole model; of equals the later one goes first. Weights that `present` has pruned are among the
/// removed ones, whatever their importance; when it is empty, there are none. Every layer keeps at
/// least one hundredth of its weights and at least as many as one filter (or row) has, so none is
/// cut off.
/// With kEachLayer: removes round(ratio · its size) of each layer, or as many as that floor allows
/// if these are fewer.
/// Throws as `check_ratio` does, std::runtime_error when an importance is not finite, and
/// std::logic_error when `present` has pruned more than `ratio` is to.
WeightMasks masks_of(const std::vector<Parameter>& parameters, const Importances& importances,
                     double ratio, const WeightMasks& present = {},
                     ShareOf share = ShareOf::kModel);

/// Throws ConfigError, with the sum, when the floors of all layers leave fewer weights to remove
/// than `ratio` of them.
void check_ratio(const std::vector<Parameter>& parameters, double ratio);

/// How many weights of a layer of this shape are always kept.
std::int64_t layer_floor(const at::Tensor& weights);

}  // namespace pacbench::trainer
