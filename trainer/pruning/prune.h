#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/data/dataset.h"
#include "trainer/methods/pruning_plan.h"
#include "trainer/models/model.h"
#include "trainer/pruning/cubic_schedule.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

/// The names that PruningPlan::score may have.
std::vector<std::string> pruning_scores();

/// Decides which weights to keep when the share `ratio` of them is to be pruned: the plan's ratio,
/// or that of one of its steps. What `present` has pruned stays pruned; when it is empty, nothing
/// is pruned yet. Changes nothing. To be called on one rank, which sends the packed masks to the
/// others. Throws ConfigError for an unknown word in the plan and for a plan.ratio that the floors
/// do not allow, before the first step of many already; and as `masks_of` does.
WeightMasks choose_masks(Model& model, const Dataset& dataset, const PruningPlan& plan,
                         double ratio, const WeightMasks& present, std::int64_t seed);

}  // namespace pacbench::trainer
