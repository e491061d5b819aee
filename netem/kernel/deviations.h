#pragma once

#include <string>
#include <vector>

#include "netem/kernel/readback.h"

namespace pacbench::netem {

/// Lists the differences between a direction's plan and the kernel's state, one in each line. A
/// line begins with the direction's name.
std::vector<std::string> deviations(const FabricPlan& plan, const PlannedDirection& direction,
                                    const Found& found);

/// Lists the differences between the plan and the state of the uplink's device. A line begins with
/// the device's name. The plan must have an uplink.
std::vector<std::string> uplink_deviations(const FabricPlan& plan, const Found& found);

}  // namespace pacbench::netem
