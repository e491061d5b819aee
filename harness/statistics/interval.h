#pragma once

#include <optional>
#include <vector>

namespace pacbench::statistics {

/// A confidence interval of a median, between two of the values themselves.
struct MedianInterval {
  std::optional<double> low;   ///< absent: even this value is censored
  std::optional<double> high;  ///< absent: this value is censored, so there is no upper end
  double coverage = 0;         ///< what it achieves: at least the confidence that was asked for
};

/// The interval from the k-th smallest to the k-th largest of n values. k is the largest number
/// whose coverage 1 - 2 P(X < k), X binomial (n, 1/2), is at least `confidence`. The interval
/// assumes independent values and nothing of their distribution (Conover, Practical Nonparametric
/// Statistics, 3.2). A value that is absent is censored: it counts as longer than all others.
/// Nothing when there are too few values for any interval, below 6 at 95 %. Throws
/// std::invalid_argument unless `confidence` is in (0, 1).
std::optional<MedianInterval> median_interval(const std::vector<std::optional<double>>& values,
                                              double confidence = 0.95);

}  // namespace pacbench::statistics
