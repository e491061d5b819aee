#pragma once

#include <string>

#include "contract/scenario/scenario.h"

namespace pacbench::plan {

/// The network of a scenario as text: its switches with their workers, then each link profile. A
/// profile has every shaped direction with its rate, its queue and the flows that share it. Round
/// trips where there is delay, schedule and loads follow.
std::string describe_network(const Scenario& scenario);

}  // namespace pacbench::plan
