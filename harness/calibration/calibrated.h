#pragma once

#include <optional>

#include "harness/calibration/result.h"

namespace pacbench::calibration {

/// The measured over the ideal goodput of the slowest flow of a ring of workers, with every link at
/// `rate_mbit`, from the calibration of this machine by `pacbench calibrate`. Absent when it has
/// not been run here, with fewer workers, or at no rate as high as this. Throws ConfigError naming
/// the file when the file is no calibration.
std::optional<double> calibrated_ring_share(double rate_mbit, int workers);

/// The calibrated ring share of one calibration: between the two nearest rates, in proportion to
/// their logarithms; below the lowest rate, the share at the lowest rate.
std::optional<double> ring_share(const Calibration& calibration, double rate_mbit, int workers);

}  // namespace pacbench::calibration
