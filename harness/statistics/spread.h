#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench::statistics {

/// The value below which `fraction` of `values` lie, linear between neighbours (type 7, the
/// default of NumPy and R). Throws std::invalid_argument when there is no value or the fraction is
/// outside [0, 1].
double quantile(std::vector<double> values, double fraction);

double median(const std::vector<double>& values);
/// The same, in no more than linear time, of values that it reorders. Two infinite middle values of
/// unlike sign have no mean: then it is 0.
double median_in_place(std::vector<double>& values);

/// The indices of the values, that of the smallest first.
std::vector<std::size_t> ascending(const std::vector<double>& values);

/// The value at which half of the weight lies below and half above; between the two values where it
/// is exactly between them. With equal weights it is the median. Throws std::invalid_argument when
/// there is no value, the lists differ in length, or a weight is not positive.
double weighted_median(const std::vector<double>& values, const std::vector<double>& weights);

/// The median, the smallest and the largest of some values, such as those of all seeds.
struct Spread {
  double median = 0;
  double minimum = 0;
  double maximum = 0;
};

/// Throws std::invalid_argument when there is no value.
Spread spread(const std::vector<double>& values);

/// The spread over seeds of the time to reach a target, which some seeds may never reach (DNF). The
/// time of such a seed is censored: it counts as longer than all times that were seen.
struct CensoredSpread {
  std::optional<double> median;   ///< absent (DNF) when half or more never got there
  std::optional<double> minimum;  ///< absent when none got there
  std::optional<double> maximum;  ///< absent when any did not: the range has no upper end
  int reached = 0;
  int total = 0;
};

CensoredSpread censored_spread(const std::vector<std::optional<double>>& times);

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

/// How many times faster: the ratio of medians; absent unless both were reached and are above 0.
std::optional<double> speed_up(const std::optional<double>& baseline,
                               const std::optional<double>& time);

/// Converts statistics to JSON, with null for what is absent.
Json to_json(const std::optional<Spread>& value);
Json to_json(const CensoredSpread& value);
Json to_json(const std::optional<MedianInterval>& interval);

}  // namespace pacbench::statistics
