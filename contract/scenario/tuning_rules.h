#pragma once

#include <vector>

#include "contract/scenario/scenario.h"

namespace pacbench {

/// The largest number of settings that a method names, at least 1.
std::size_t most_settings(const std::vector<MethodEntry>& methods);

/// Checks the tuning of a scenario: equally many trainings for each method, other seeds than the
/// measured ones, and enough samples to train on. Without a tuning, complains of settings to try.
void check_tuning(const Scenario& scenario, const Catalogue& catalogue, std::vector<Issue>& issues);

}  // namespace pacbench
