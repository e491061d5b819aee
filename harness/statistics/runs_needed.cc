#include "harness/statistics/two_sides.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/statistics/block_bootstrap.h"
#include "harness/statistics/spread.h"

namespace pacbench::statistics {
namespace {

constexpr int kComparisons = 1000;
constexpr std::uint64_t kSeed = 1;

std::vector<double> reached(const std::vector<double>& values) {
  std::vector<double> kept;
  for (const auto value : values) {
    if (std::isfinite(value) && value > 0) kept.push_back(value);
  }
  return kept;
}

/// Pairs in which the value of `next` is larger, ties as a half; both sorted.
double count_u(const std::vector<double>& base, const std::vector<double>& next) {
  double u = 0;
  auto below = base.begin();
  auto not_above = base.begin();
  for (const auto value : next) {
    while (below != base.end() && *below < value) ++below;
    while (not_above != base.end() && *not_above <= value) ++not_above;
    u += static_cast<double>((below - base.begin()) + (not_above - base.begin())) / 2;
  }
  return u;
}

void draw_sorted(const std::vector<double>& from, double shift, Random& random,
                 std::vector<double>& drawn) {
  for (auto& value : drawn) value = from[random.below(from.size())] + shift;
  std::sort(drawn.begin(), drawn.end());
}

}  // namespace

std::vector<double> log_residuals(const Strata& strata) {
  std::vector<double> residuals;
  std::size_t sides = 0;
  for (const auto& stratum : strata) {
    for (const auto* side : {&stratum.base, &stratum.next}) {
      const auto values = reached(*side);
      if (values.size() < 2) continue;
      ++sides;
      const auto centre = median(values);
      for (const auto value : values) residuals.push_back(std::log(value / centre));
    }
  }
  const auto count = static_cast<double>(residuals.size());
  for (auto& residual : residuals) {
    residual *= std::sqrt(count / (count - static_cast<double>(sides)));
  }
  return residuals;
}

double share_found(const std::vector<double>& residuals, std::size_t n, const Demand& demand) {
  if (residuals.empty()) throw std::invalid_argument{"a share of comparisons without values"};
  const auto critical = critical_u(n, demand.alpha);
  const auto all_pairs = static_cast<double>(n * n);
  Random random{kSeed};
  std::vector<double> base(n);
  std::vector<double> next(n);
  int found = 0;
  for (int i = 0; i < kComparisons; ++i) {
    draw_sorted(residuals, 0, random, base);
    draw_sorted(residuals, std::log(demand.ratio), random, next);
    const auto u = count_u(base, next);
    if (std::max(u, all_pairs - u) >= critical) ++found;
  }
  return static_cast<double>(found) / kComparisons;
}

std::optional<std::size_t> runs_needed(const std::vector<double>& residuals, const Demand& demand,
                                       std::size_t most) {
  const auto enough = [&](std::size_t n) {
    return share_found(residuals, n, demand) >= demand.power;
  };
  auto n = fewest_runs(demand.alpha);
  if (n > most) return std::nullopt;
  auto too_few = n - 1;
  while (!enough(n)) {
    if (n >= most) return std::nullopt;
    too_few = n;
    n = std::min(most, n + (n + 1) / 2);
  }
  while (n - too_few > 1) {
    const auto half = too_few + (n - too_few) / 2;
    (enough(half) ? n : too_few) = half;
  }
  return n;
}

std::size_t fewest_runs(double alpha) {
  std::size_t n = 1;
  while (smallest_p(n, n) > alpha) ++n;
  return n;
}

}  // namespace pacbench::statistics
