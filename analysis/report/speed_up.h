#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "harness/statistics/paired_ratio.h"

namespace pacbench::report {

/// TTA of each seed; absent where the seed never reached the target.
using TimesOfSeeds = std::map<std::int64_t, std::optional<double>>;

/// Where the TTA of each seed lies that reached the target.
using CrossingsOfSeeds = std::map<std::int64_t, statistics::Between>;

/// The lower and the upper end of a speed-up.
struct SpeedUpEnds {
  std::optional<double> low;   ///< absent: the method did not reach the target
  std::optional<double> high;  ///< absent: the baseline did not reach the target
};

/// The speed-up of a method over a baseline.
struct SpeedUp {
  double value = 1;   ///< ratio of the median TTAs
  SpeedUpEnds range;  ///< of ratios seed by seed, without seeds that have two DNFs
  /// The 95 % interval of the ratio (statistics::paired_ratio). Absent below three seeds, and where
  /// a seed has a DNF or a time of 0.
  std::optional<SpeedUpEnds> interval;
};

/// Returns the speed-up over the same seeds of both sides; absent without seeds, and unless both
/// medians were reached. A DNF counts as longer than all times. The interval allows each time to
/// lie anywhere in its crossing. Throws std::invalid_argument when the seeds differ.
std::optional<SpeedUp> speed_up_of(const TimesOfSeeds& baseline,
                                   const CrossingsOfSeeds& baseline_crossings,
                                   const TimesOfSeeds& own, const CrossingsOfSeeds& own_crossings);

/// The same, of times that are known exactly.
std::optional<SpeedUp> speed_up_of(const TimesOfSeeds& baseline, const TimesOfSeeds& own);

/// The interval of the ratio alone, with the baseline's times multiplied by `share`.
std::optional<SpeedUpEnds> interval_of(const CrossingsOfSeeds& baseline,
                                       const CrossingsOfSeeds& own, double share = 1);

}  // namespace pacbench::report
