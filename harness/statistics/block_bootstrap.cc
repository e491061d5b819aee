#include "harness/statistics/block_bootstrap.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

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

/// The median: the mean of the two middle values where there are two.
double median_in_place(std::vector<double>& values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*std::max_element(values.begin(), upper) + *upper) / 2;
}

}  // namespace

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
