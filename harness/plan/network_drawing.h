#pragma once

#include <string>

#include "contract/scenario/scenario.h"

namespace pacbench::plan {

/// The network of a scenario as text: its switches and who stands on them, then for each link
/// profile every shaped direction with its rate, its queue and the flows that share it, round
/// trips where there is delay, schedule and loads.
std::string describe_network(const Scenario& scenario);

}  // namespace pacbench::plan
