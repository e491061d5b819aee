#pragma once

#include <string>

#include "contract/fabric/network.h"

namespace pacbench {

/// Reads a packet delivery trace in Mahimahi's format (mm-link(1)): each line is a time in whole
/// milliseconds from the start, ascending, at which one packet of 1500 bytes can cross the link;
/// the trace begins again after its last time. It becomes one rate for each interval, equal
/// neighbours joined; where nothing can cross, the least rate that a scenario may have.
/// `interval_ms` is at least 10. Throws ConfigError naming file and line of what is no such time,
/// and std::system_error when the file cannot be read.
RateSchedule read_rate_trace(const std::string& path, int interval_ms);

}  // namespace pacbench
