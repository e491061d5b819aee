#include "analysis/report/speed_up.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "harness/statistics/random.h"

namespace pacbench::report {
namespace {

// As many seeds as a 95 % interval of the median TTA needs.
constexpr std::size_t kFewestSeeds = 6;
// With 2001 sorted draws the 2.5 % quantile is one of the draws, so that nothing is interpolated
// between two draws of which one may be infinite.
constexpr std::size_t kDraws = 2001;
constexpr std::size_t kTail = 50;

/// The TTA of a seed on both sides; infinite where the seed never reached the target.
struct Pair {
  double baseline = 0;
  double own = 0;
};

double ratio(double baseline, double own) { return baseline == own ? 1 : baseline / own; }

/// The median, which is infinite when half of the values or more are infinite.
double middle(std::vector<double>& values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*std::max_element(values.begin(), upper) + *upper) / 2;
}

/// The baseline's median divided by the method's own. Of n pairs, both medians are over the pairs
/// at `index(0)` to `index(n - 1)`.
template <typename Index>
double ratio_of_medians(const std::vector<Pair>& pairs, const Index& index) {
  std::vector<double> baseline;
  std::vector<double> own;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& pair = pairs[index(i)];
    baseline.push_back(pair.baseline);
    own.push_back(pair.own);
  }
  return ratio(middle(baseline), middle(own));
}

SpeedUpEnds ends(double low, double high) {
  SpeedUpEnds found;
  if (low > 0) found.low = low;
  if (std::isfinite(high)) found.high = high;
  return found;
}

SpeedUpEnds range_over(const std::vector<Pair>& pairs) {
  std::vector<double> ratios;
  for (const auto& [baseline, own] : pairs) {
    // A seed that reached the target on neither side has no ratio.
    if (std::isfinite(baseline) || std::isfinite(own)) ratios.push_back(ratio(baseline, own));
  }
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  return ends(*low, *high);
}

SpeedUpEnds bootstrap(const std::vector<Pair>& pairs) {
  statistics::Random random{1};
  std::vector<double> ratios;
  for (std::size_t i = 0; i < kDraws; ++i) {
    ratios.push_back(
        ratio_of_medians(pairs, [&](std::size_t) { return random.below(pairs.size()); }));
  }
  std::sort(ratios.begin(), ratios.end());
  return ends(ratios[kTail], ratios[kDraws - 1 - kTail]);
}

std::vector<Pair> paired(const TimesOfSeeds& baseline, const TimesOfSeeds& own) {
  constexpr auto kNever = std::numeric_limits<double>::infinity();
  std::vector<Pair> pairs;
  for (const auto& [seed, time] : baseline) {
    const auto other = own.find(seed);
    if (other == own.end()) break;
    pairs.push_back({time.value_or(kNever), other->second.value_or(kNever)});
  }
  if (pairs.size() != baseline.size() || pairs.size() != own.size()) {
    throw std::invalid_argument{"a speed-up over other seeds than the baseline's"};
  }
  return pairs;
}

}  // namespace

std::optional<SpeedUp> speed_up_of(const TimesOfSeeds& baseline, const TimesOfSeeds& own) {
  const auto pairs = paired(baseline, own);
  if (pairs.empty()) return std::nullopt;
  const auto in_order = [](std::size_t i) { return i; };
  const auto missed = std::count_if(pairs.begin(), pairs.end(),
                                    [](const Pair& pair) { return std::isinf(pair.own); });
  const auto value = ratio_of_medians(pairs, in_order);
  if (2 * missed >= std::ssize(pairs) || !std::isfinite(value) || value <= 0) return std::nullopt;
  SpeedUp found{value, range_over(pairs), std::nullopt};
  if (pairs.size() >= kFewestSeeds) found.interval = bootstrap(pairs);
  return found;
}

}  // namespace pacbench::report
