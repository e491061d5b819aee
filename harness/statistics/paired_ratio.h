#pragma once

#include <optional>
#include <vector>

namespace pacbench::statistics {

/// A time that lies between two ends, since nobody looked in between. 0 < from_s <= until_s.
struct Between {
  double from_s = 0;
  double until_s = 0;
};

/// How many times as long `base` took as `own`, over pairs of measurements.
struct PairedRatio {
  double value = 1;  ///< geometric mean of the ratios of the later ends
  double low = 1;    ///< of its 95 % interval, widened by where in between the times may lie
  double high = 1;
};

/// Computes logarithms of the pairs' ratios and, by Student's t, exp(mean ± t · deviation / √n).
/// The lower end has the mean and the deviation of the least ratios that the times' ends allow, the
/// upper end those of the largest. Absent with fewer than three pairs. Throws
/// std::invalid_argument when the lists differ in length, or a time is not positive.
std::optional<PairedRatio> paired_ratio(const std::vector<Between>& base,
                                        const std::vector<Between>& own);

}  // namespace pacbench::statistics
