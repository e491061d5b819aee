#include "harness/statistics/interval.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace pacbench::statistics {

std::optional<MedianInterval> median_interval(const std::vector<std::optional<double>>& values,
                                              double confidence) {
  if (!(confidence > 0 && confidence < 1)) {
    throw std::invalid_argument{"a confidence outside (0, 1)"};
  }
  const auto n = values.size();
  // The logarithm of P(X = k): the probability itself underflows from some 1,100 values on.
  double log_probability = static_cast<double>(n) * std::log(0.5);
  double below = 0;  // P(X < k)
  std::size_t k = 0;
  while (k < n / 2 && 1 - 2 * (below + std::exp(log_probability)) >= confidence) {
    below += std::exp(log_probability);
    log_probability += std::log(static_cast<double>(n - k) / static_cast<double>(k + 1));
    ++k;
  }
  if (k == 0) return std::nullopt;

  std::vector<double> sorted;
  for (const auto& value : values) {
    sorted.push_back(value.value_or(std::numeric_limits<double>::infinity()));
  }
  std::sort(sorted.begin(), sorted.end());
  const auto reached = [](double value) {
    return std::isfinite(value) ? std::optional{value} : std::nullopt;
  };
  return MedianInterval{reached(sorted[k - 1]), reached(sorted[n - k]), 1 - 2 * below};
}

}  // namespace pacbench::statistics
