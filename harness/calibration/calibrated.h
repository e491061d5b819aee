#pragma once

#include <optional>

#include "harness/calibration/result.h"

namespace pacbench::calibration {

/// The calibration of this machine by `pacbench calibrate`: the goodput of the slowest flow of a
/// ring of workers, all at once, over what arithmetic says, with every link at `rate_mbit`. Absent
/// when it has not been run here, with fewer workers, or at no rate as high as this. Throws
/// ConfigError naming the file when that is none.
std::optional<double> calibrated_ring_share(double rate_mbit, int workers);

/// The same from one calibration: between the two nearest rates, in proportion to their logarithms;
/// below the lowest one what holds there.
std::optional<double> ring_share(const Calibration& calibration, double rate_mbit, int workers);

}  // namespace pacbench::calibration
