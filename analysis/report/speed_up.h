#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace pacbench::report {

/// TTA of each seed; absent where the seed never reached the target.
using TimesOfSeeds = std::map<std::int64_t, std::optional<double>>;

/// The lower and the upper end of a speed-up.
struct SpeedUpEnds {
  std::optional<double> low;   ///< absent: the method did not reach the target
  std::optional<double> high;  ///< absent: the baseline did not reach the target
};

/// The speed-up of a method over a baseline.
struct SpeedUp {
  double value = 1;   ///< ratio of the median TTAs
  SpeedUpEnds range;  ///< of ratios seed by seed, without seeds that have two DNFs
  std::optional<SpeedUpEnds> interval;  ///< of `value`, at 95 %; absent below 6 seeds
};

/// Returns the speed-up over the same seeds of both sides; absent without seeds, and unless both
/// medians were reached. A DNF counts as longer than all times. The interval is a percentile
/// bootstrap (Efron and Tibshirani 1993, 13.3) of the ratio of medians. Both times of a seed are
/// drawn together. A draw whose medians are both DNF has the ratio 1. There are 2001 draws, the
/// same on every machine. The interval goes from the 51st smallest ratio to the 51st largest.
/// Throws std::invalid_argument when the seeds differ.
std::optional<SpeedUp> speed_up_of(const TimesOfSeeds& baseline, const TimesOfSeeds& own);

}  // namespace pacbench::report
