#pragma once

#include <vector>

#include "contract/catalogue/catalogue.h"
#include "trainer/averaging/pruning_plan.h"

namespace pacbench::trainer {

/// The options of a method that prunes for good: which weights go, how many, and when.
std::vector<OptionSpec> pruning_options();

/// Reads the options above into the plan that the pruning stage follows.
PruningPlan pruning_plan(const Json& options);

}  // namespace pacbench::trainer
