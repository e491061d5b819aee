#pragma once

#include <string>

#include "harness/calibrate/result.h"

namespace pacbench::calibrate {

/// Where the calibration of a machine is kept: below the data folder, by CPU, cores and kernel.
std::string saved_path(const Environment& machine);

/// Keeps it there for the probes of later runs. Throws std::system_error naming the path.
void save(const Calibration& calibration);

}  // namespace pacbench::calibrate
