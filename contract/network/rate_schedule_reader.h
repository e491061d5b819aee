#pragma once

#include <string>

#include "contract/network/network.h"

namespace pacbench {

/// Reads a link's schedule: steps, or a trace whose file is relative to the folder of `source`.
/// Errors are reported through `reader`.
RateSchedule read_rate_schedule(ObjectReader reader, const std::string& source);

}  // namespace pacbench
