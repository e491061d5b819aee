#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/statistics/block_bootstrap.h"

namespace pacbench::statistics {
namespace {

/// Autocovariances of lags 0 to `last`; 0 for a lag that is not shorter than the series.
std::vector<double> autocovariances(const std::vector<double>& series, std::size_t last) {
  const auto n = series.size();
  const auto mean = std::accumulate(series.begin(), series.end(), 0.0) / static_cast<double>(n);
  std::vector<double> found(last + 1, 0);
  for (std::size_t lag = 0; lag < std::min(last + 1, n); ++lag) {
    for (std::size_t i = lag; i < n; ++i) {
      found[lag] += (series[i] - mean) * (series[i - lag] - mean);
    }
    found[lag] /= static_cast<double>(n);
  }
  return found;
}

/// The last significant lag before `run` lags in a row that are not significant; at least 1.
std::size_t last_significant(const std::vector<double>& covariances, std::size_t run, double n) {
  const auto threshold = 2 * std::sqrt(std::log10(n) / n) * covariances.front();
  std::size_t last = 0;
  for (std::size_t lag = 1; lag < covariances.size() && lag <= last + run; ++lag) {
    if (std::abs(covariances[lag]) >= threshold) last = lag;
  }
  return std::max<std::size_t>(last, 1);
}

/// The flat-top window: 1 up to half of `width`, 0 from `width` on.
double weight(std::size_t lag, std::size_t width) {
  const auto share = static_cast<double>(lag) / static_cast<double>(width);
  return std::clamp(2 * (1 - share), 0.0, 1.0);
}

double automatic_length(const std::vector<double>& series) {
  constexpr std::size_t kRun = 5;
  const auto n = static_cast<double>(series.size());
  const auto most = static_cast<std::size_t>(std::ceil(std::sqrt(n))) + kRun;
  const auto covariances = autocovariances(series, most);
  if (!(covariances.front() > 0)) return 1;
  const auto width = std::min(2 * last_significant(covariances, kRun, n), most);
  double spectrum = covariances.front();
  double slope = 0;
  for (std::size_t lag = 1; lag <= width; ++lag) {
    const auto both_sides = 2 * weight(lag, width) * covariances[lag];
    spectrum += both_sides;
    slope += both_sides * static_cast<double>(lag);
  }
  if (!(spectrum > 0)) return 1;
  return std::cbrt(1.5 * (slope / spectrum) * (slope / spectrum) * n);
}

}  // namespace

std::size_t block_length(const std::vector<double>& series) {
  const auto n = static_cast<double>(series.size());
  const auto longest = std::max(1.0, std::floor(std::min(std::ceil(3 * std::sqrt(n)), n / 3)));
  const auto length = std::round(std::max(std::cbrt(n), automatic_length(series)));
  return static_cast<std::size_t>(std::clamp(length, 1.0, longest));
}

}  // namespace pacbench::statistics
