#include "harness/statistics/spread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/json/checked_keys.h"

namespace pacbench::statistics {
namespace {

/// The values, infinite where they are censored.
std::vector<double> with_censored(const std::vector<std::optional<double>>& values) {
  std::vector<double> all;
  for (const auto& value : values) {
    all.push_back(value.value_or(std::numeric_limits<double>::infinity()));
  }
  return all;
}

std::optional<double> if_finite(double value) {
  return std::isfinite(value) ? std::optional{value} : std::nullopt;
}

}  // namespace

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

double median_in_place(std::vector<double>& values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  const auto lower = *std::max_element(values.begin(), upper);
  if (lower == *upper) return lower;
  const auto sum = lower + *upper;
  return std::isnan(sum) ? 0 : sum / 2;
}

std::vector<std::size_t> ascending(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t one, std::size_t other) { return values[one] < values[other]; });
  return order;
}

double weighted_median(const std::vector<double>& values, const std::vector<double>& weights) {
  if (values.empty()) throw std::invalid_argument{"a median of no values"};
  if (values.size() != weights.size()) throw std::invalid_argument{"a weight for each value"};
  const auto order = ascending(values);
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
  const auto values = with_censored(times);
  result.reached = static_cast<int>(
      std::count_if(times.begin(), times.end(), [](const auto& time) { return time.has_value(); }));
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  result.minimum = if_finite(*lowest);
  result.maximum = if_finite(*highest);
  // More than half reached: then both middle values of an even number are finite.
  if (2 * result.reached > result.total) result.median = median(values);
  return result;
}

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

  auto sorted = with_censored(values);
  std::sort(sorted.begin(), sorted.end());
  return MedianInterval{if_finite(sorted[k - 1]), if_finite(sorted[n - k]), 1 - 2 * below};
}

std::optional<double> speed_up(const std::optional<double>& baseline,
                               const std::optional<double>& time) {
  if (!baseline || !time || *baseline <= 0 || *time <= 0) return std::nullopt;
  return *baseline / *time;
}

Json to_json(const std::optional<Spread>& value) {
  if (!value) return nullptr;
  return {{"median", value->median}, {"minimum", value->minimum}, {"maximum", value->maximum}};
}

Json to_json(const CensoredSpread& value) {
  return {{"median", json_fields::written(value.median)},
          {"minimum", json_fields::written(value.minimum)},
          {"maximum", json_fields::written(value.maximum)},
          {"reached", value.reached},
          {"total", value.total}};
}

Json to_json(const std::optional<MedianInterval>& interval) {
  if (!interval) return nullptr;
  return {{"low", json_fields::written(interval->low)},
          {"high", json_fields::written(interval->high)},
          {"coverage", interval->coverage}};
}

}  // namespace pacbench::statistics
