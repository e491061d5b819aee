#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/averaging/pruning_plan.h"
#include "trainer/data/dataset.h"
#include "trainer/models/model.h"
#include "trainer/pruning/cubic_schedule.h"
#include "trainer/pruning/importance.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// The names that PruningPlan::score may have.
std::vector<std::string> pruning_scores();

/// The importance of each weight by plan.score. Throws ConfigError for an unknown word in the plan.
Importances importances_of(Model& model, const Dataset& dataset, const PruningPlan& plan,
                           std::int64_t seed);

/// Decides which weights to keep when the fraction `ratio` of the prunable ones must go, by their
/// `importances`. `ratio` is that of the plan or of one of its steps. Weights that `present` has
/// pruned stay pruned; an empty `present` has pruned none. Changes nothing. Call it on one rank,
/// which must send the packed masks to the others. Throws ConfigError when layers must keep more
/// weights than plan.ratio leaves, already in the first step. Throws as `masks_of` and `normalise`
/// too.
WeightMasks choose_masks(const std::vector<Parameter>& parameters, Importances importances,
                         const PruningPlan& plan, double ratio, const WeightMasks& present);

}  // namespace pacbench::trainer
