#pragma once

#include <vector>

#include "contract/scenario/scenario.h"

namespace pacbench {

/// Checks that the parts of a workload fit together: model and data sets, and the numbers of
/// samples that batches, validation and evaluations take from a data set.
void check_workload(const Scenario& scenario, const Catalogue& catalogue,
                    std::vector<Issue>& issues);

/// Checks that each method, and each method inside it, is for models with the input (images or
/// tokens) of the scenario's model. On another model the method would do only what all-reduce does.
void check_methods(const Scenario& scenario, const Catalogue& catalogue,
                   std::vector<Issue>& issues);

}  // namespace pacbench
