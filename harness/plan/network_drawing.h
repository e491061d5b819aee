#pragma once

#include <string>

#include "contract/scenario/scenario.h"

namespace pacbench::plan {

/// The network of a scenario as text, one link profile after another. A profile shows its switches
/// with their workers, and every shaped direction with its rate, its queue and the flows that share
/// it. The schedule and the loads follow where there are any, and round trips where a link is
/// impaired. In mode simulate a link profile shows its shape, rates and delay only. A profile whose
/// rates are still to be measured has one line that says so.
std::string describe_network(const Scenario& scenario);

}  // namespace pacbench::plan
