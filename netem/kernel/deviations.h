#pragma once

#include <string>
#include <vector>

#include "netem/kernel/readback.h"

namespace pacbench::netem {

/// Everything in which a direction is not as planned, each in words that begin with the direction's
/// name.
std::vector<std::string> deviations(const FabricPlan& plan, const PlannedDirection& direction,
                                    const Found& found);

/// Likewise of the uplink's device, which the plan must have.
std::vector<std::string> uplink_deviations(const FabricPlan& plan, const Found& found);

}  // namespace pacbench::netem
