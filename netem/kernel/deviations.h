#pragma once

#include <string>
#include <vector>

#include "netem/kernel/readback.h"

namespace pacbench::netem {

/// Lists the differences between a direction's plan and the kernel's state, one in each line. A
/// line begins with the direction's name.
std::vector<std::string> deviations(const FabricPlan& plan, const PlannedDirection& direction,
                                    const Found& found);

/// Likewise of the uplink's device, which the plan must have.
std::vector<std::string> uplink_deviations(const FabricPlan& plan, const Found& found);

}  // namespace pacbench::netem
