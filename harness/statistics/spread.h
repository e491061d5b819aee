#pragma once

#include <optional>
#include <vector>

namespace pacbench::statistics {

/// The value below which `fraction` of `values` lie, linear between neighbours (type 7, the
/// default of NumPy and R). Throws std::invalid_argument when there is no value or the fraction is
/// outside [0, 1].
double quantile(std::vector<double> values, double fraction);

double median(const std::vector<double>& values);

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

/// How many times faster: the ratio of medians; absent unless both were reached and are above 0.
std::optional<double> speed_up(const std::optional<double>& baseline,
                               const std::optional<double>& time);

}  // namespace pacbench::statistics
