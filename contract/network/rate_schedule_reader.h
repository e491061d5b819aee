#pragma once

#include <string>

#include "contract/network/network.h"

namespace pacbench {

/// Reads a link's schedule: steps, or a trace whose file is relative to the folder of `source`.
/// Errors are reported through `reader`.
RateSchedule read_rate_schedule(ObjectReader reader, const std::string& source);

/// Reads a packet delivery trace in Mahimahi's format (mm-link(1)). Each line is a time in whole
/// milliseconds from the start, ascending, at which one packet of 1500 bytes can cross the link.
/// The trace begins again after its last time.
///
/// The schedule has one rate for each interval of `interval_ms`, which must be at least 10.
/// Neighbouring intervals of equal rate are joined. No rate is below the least that a scenario may
/// have, even where nothing can cross; what that adds is taken from later intervals, so that the
/// mean stays. Throws ConfigError naming file and line where the file does
/// not have this format, and std::system_error when it cannot be read.
RateSchedule read_rate_trace(const std::string& path, int interval_ms);

}  // namespace pacbench
