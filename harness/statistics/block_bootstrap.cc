#include "harness/statistics/block_bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "harness/statistics/spread.h"

namespace pacbench::statistics {
namespace {

constexpr std::size_t kFewestValues = 6;               // a 95 % interval of a median needs as many
constexpr double kNormalQuantile = 1.959963984540054;  // 97.5 %

/// Draws a series into `drawn`, by blocks of `block` neighbours. `twice` is the series and the
/// series again, so that a block that begins anywhere in the series is whole.
void draw(const std::vector<double>& twice, std::size_t block, Random& random,
          std::vector<double>& drawn) {
  const auto count = twice.size() / 2;
  drawn.clear();
  while (drawn.size() < count) {
    const auto first = twice.begin() + static_cast<std::ptrdiff_t>(random.below(count));
    const auto length = static_cast<std::ptrdiff_t>(std::min(block, count - drawn.size()));
    drawn.insert(drawn.end(), first, first + length);
  }
}

/// The 97.5 % quantile of Student's t, of more than 0 degrees of freedom (Abramowitz and Stegun
/// 26.7.5). With one or two degrees the result is too small, but still beyond all draws.
double student_quantile(double freedom) {
  const auto z = kNormalQuantile;
  const auto z3 = z * z * z;
  const auto z5 = z3 * z * z;
  const auto z7 = z5 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

/// The share of values at either end that an interval leaves out.
double tail_share(double blocks) {
  if (blocks <= 1) return 0;
  const auto far = student_quantile(blocks - 1) * std::sqrt(blocks / (blocks - 1));
  return std::erfc(far / std::sqrt(2)) / 2;
}

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

BlockBootstrap::BlockBootstrap(const std::vector<double>& series,
                               const std::function<double(std::vector<double>&)>& statistic,
                               Random& random) {
  if (series.empty()) throw std::invalid_argument{"a bootstrap of no values"};
  const auto block = block_length(series);
  blocks_ = static_cast<double>(series.size()) / static_cast<double>(block);
  auto twice = series;
  twice.insert(twice.end(), series.begin(), series.end());
  std::vector<double> drawn;
  for (std::size_t i = 0; i < kDraws; ++i) {
    draw(twice, block, random, drawn);
    values_.push_back(statistic(drawn));
  }
}

KnownEnds middle_95(std::vector<double> values, double blocks) {
  std::sort(values.begin(), values.end());
  const auto tail =
      static_cast<std::size_t>(tail_share(blocks) * static_cast<double>(values.size()));
  return {values[tail], values[values.size() - 1 - tail]};
}

std::optional<KnownEnds> median_of_series(const std::vector<double>& series) {
  if (series.size() < kFewestValues) return std::nullopt;
  Random random{1};
  const BlockBootstrap medians{series, median_in_place, random};
  return middle_95(medians.values(), medians.blocks());
}

}  // namespace pacbench::statistics
