#include "harness/statistics/spread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace pacbench::statistics {

double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) throw std::invalid_argument{"a quantile of no values"};
  if (!(fraction >= 0 && fraction <= 1)) throw std::invalid_argument{"a quantile outside [0, 1]"};
  std::sort(values.begin(), values.end());
  const double position = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double weight = position - static_cast<double>(below);
  // An exact position needs no neighbour: an infinite neighbour times 0 is not a number.
  if (weight == 0) return values[below];
  return values[below] + weight * (values[below + 1] - values[below]);
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

double weighted_median(const std::vector<double>& values, const std::vector<double>& weights) {
  if (values.empty()) throw std::invalid_argument{"a median of no values"};
  if (values.size() != weights.size()) throw std::invalid_argument{"a weight for each value"};
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t one, std::size_t other) { return values[one] < values[other]; });
  double all = 0;
  for (const double weight : weights) {
    if (!(weight > 0)) throw std::invalid_argument{"a weight that is not positive"};
    all += weight;
  }
  double below = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    below += weights[order[i]];
    if (2 * below > all || i + 1 == order.size()) return values[order[i]];
    if (2 * below == all) return (values[order[i]] + values[order[i + 1]]) / 2;
  }
  return values[order.back()];
}

Spread spread(const std::vector<double>& values) {
  const auto middle = median(values);
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  return {middle, *lowest, *highest};
}

CensoredSpread censored_spread(const std::vector<std::optional<double>>& times) {
  CensoredSpread result;
  result.total = static_cast<int>(times.size());
  if (times.empty()) return result;
  std::vector<double> values;
  for (const auto& time : times) {
    if (time) ++result.reached;
    values.push_back(time.value_or(std::numeric_limits<double>::infinity()));
  }
  const auto finite = [](double value) {
    return std::isfinite(value) ? std::optional{value} : std::nullopt;
  };
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  result.minimum = finite(*lowest);
  result.maximum = finite(*highest);
  // More than half reached: then both middle values of an even number are finite.
  if (2 * result.reached > result.total) result.median = median(values);
  return result;
}

std::optional<double> speed_up(const std::optional<double>& baseline,
                               const std::optional<double>& time) {
  if (!baseline || !time || *baseline <= 0 || *time <= 0) return std::nullopt;
  return *baseline / *time;
}

}  // namespace pacbench::statistics
