#pragma once

#include <optional>

#include "harness/calibration/result.h"

namespace pacbench::calibration {

/// The measured goodput divided by the ideal goodput, for the slowest flow of a ring of workers
/// with every link at `rate_mbit`. It comes from the calibration that `pacbench calibrate` has
/// saved for this machine. Absent when there is no such calibration, when it has fewer workers, or
/// when all its rates are lower. Throws ConfigError naming the file when it is no calibration.
std::optional<double> calibrated_ring_share(double rate_mbit, int workers);

/// The same share by `calibration`; absent when that has fewer workers or only lower rates. Between
/// two calibrated rates it is interpolated linearly in the logarithm of the rate. Below the lowest
/// rate it is the share at the lowest rate.
std::optional<double> ring_share(const Calibration& calibration, double rate_mbit, int workers);

}  // namespace pacbench::calibration
