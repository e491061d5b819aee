#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/data/dataset.h"
#include "trainer/models/model.h"
#include "trainer/pruning/importance.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench {

struct PruningOptions {
  std::string score = "grasp";          ///< grasp, magnitude or random
  double ratio = 0.5;                   ///< share of the prunable weights to remove
  std::int64_t samples_per_class = 25;  ///< of the balanced batch that GraSP looks at
};

/// The names that PruningOptions::score may have.
std::vector<std::string> pruning_scores();

/// Decides which weights to keep; changes nothing. To be called on one rank, which sends the packed
/// masks to the others. Throws ConfigError for an unknown score and as `masks_of` does.
WeightMasks choose_masks(Model& model, const Dataset& dataset, const PruningOptions& options,
                         std::int64_t seed);

/// Removes exactly round(ratio · n) of the n prunable weights, the least important ones of the
/// whole model; of equals the later one goes first. But every layer keeps at least one hundredth
/// of its weights and no fewer than one filter (or row) has, so that no layer is cut off.
/// Throws ConfigError when these floors leave too few weights to remove, and std::runtime_error
/// when an importance is not finite.
WeightMasks masks_of(const std::vector<Parameter>& parameters, const Importances& importances,
                     double ratio);

/// How many weights of a layer of this shape are always kept.
std::int64_t layer_floor(const at::Tensor& weights);

}  // namespace pacbench
