#pragma once

#include <vector>

#include "contract/scenario/scenario.h"

namespace pacbench {

/// The largest number of settings that a method names, at least 1.
std::size_t most_settings(const std::vector<MethodEntry>& methods);

/// Whether the tuning of a scenario keeps its rules: as many trainings for each method, other seeds
/// than those that are measured, samples enough to train on.
void check_tuning(const Scenario& scenario, const Catalogue& catalogue, std::vector<Issue>& issues);

}  // namespace pacbench
