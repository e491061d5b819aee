#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace pacbench::report {

/// TTA of each seed; absent where it never got there.
using TimesOfSeeds = std::map<std::int64_t, std::optional<double>>;

/// From where to where a speed-up may lie.
struct SpeedUpEnds {
  std::optional<double> low;   ///< absent: the method did not get there
  std::optional<double> high;  ///< absent: the baseline did not get there
};

/// How many times faster than a baseline.
struct SpeedUp {
  double value = 1;                     ///< ratio of the median TTAs
  SpeedUpEnds range;                    ///< of the ratios seed by seed, without those of two DNFs
  std::optional<SpeedUpEnds> interval;  ///< of `value`, at 95 %; absent below 6 seeds
};

/// Both sides have the same seeds; a DNF is longer than all times, and as long as another one. The
/// interval is a percentile bootstrap (Efron and Tibshirani 1993, 13.3) of the ratio of medians,
/// pairs of one seed drawn together: 2001 draws, of which the 51st from either end, the same on
/// every machine. Absent unless both medians were reached. Throws std::invalid_argument when the
/// seeds are not the same.
std::optional<SpeedUp> speed_up_of(const TimesOfSeeds& baseline, const TimesOfSeeds& own);

}  // namespace pacbench::report
