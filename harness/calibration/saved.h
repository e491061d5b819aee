#pragma once

#include <string>

#include "harness/calibration/result.h"

namespace pacbench::calibration {

/// The path of a machine's calibration, below the data folder. Its name follows from CPU, cores and
/// kernel.
std::string saved_path(const Environment& machine);

/// Saves a calibration at saved_path() for the probes of later runs. Throws std::system_error
/// naming the path.
void save(const Calibration& calibration);

}  // namespace pacbench::calibration
