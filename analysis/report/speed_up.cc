#include "analysis/report/speed_up.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace pacbench::report {
namespace {

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

double ratio_of_medians(const std::vector<Pair>& pairs) {
  std::vector<double> baseline;
  std::vector<double> own;
  for (const auto& pair : pairs) {
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

std::vector<statistics::Between> times_of(const CrossingsOfSeeds& crossings, double share) {
  std::vector<statistics::Between> times;
  for (const auto& [seed, crossing] : crossings) {
    times.push_back({share * crossing.from_s, share * crossing.until_s});
  }
  return times;
}

CrossingsOfSeeds exact(const TimesOfSeeds& times) {
  CrossingsOfSeeds crossings;
  for (const auto& [seed, time] : times) {
    if (time) crossings[seed] = {*time, *time};
  }
  return crossings;
}

}  // namespace

std::optional<SpeedUpEnds> interval_of(const CrossingsOfSeeds& baseline,
                                       const CrossingsOfSeeds& own, double share) {
  const auto theirs = times_of(baseline, share);
  const auto mine = times_of(own, 1);
  const auto takes_no_time = [](const statistics::Between& time) { return time.from_s <= 0; };
  if (theirs.size() != mine.size() || std::any_of(theirs.begin(), theirs.end(), takes_no_time) ||
      std::any_of(mine.begin(), mine.end(), takes_no_time)) {
    return std::nullopt;
  }
  const auto found = statistics::paired_ratio(theirs, mine);
  return found ? std::optional{SpeedUpEnds{found->low, found->high}} : std::nullopt;
}

std::optional<SpeedUp> speed_up_of(const TimesOfSeeds& baseline,
                                   const CrossingsOfSeeds& baseline_crossings,
                                   const TimesOfSeeds& own, const CrossingsOfSeeds& own_crossings) {
  const auto pairs = paired(baseline, own);
  if (pairs.empty()) return std::nullopt;
  const auto missed = std::count_if(pairs.begin(), pairs.end(),
                                    [](const Pair& pair) { return std::isinf(pair.own); });
  const auto value = ratio_of_medians(pairs);
  if (2 * missed >= std::ssize(pairs) || !std::isfinite(value) || value <= 0) return std::nullopt;
  SpeedUp found{value, range_over(pairs), std::nullopt};
  if (baseline_crossings.size() == pairs.size() && own_crossings.size() == pairs.size()) {
    found.interval = interval_of(baseline_crossings, own_crossings);
  }
  return found;
}

std::optional<SpeedUp> speed_up_of(const TimesOfSeeds& baseline, const TimesOfSeeds& own) {
  return speed_up_of(baseline, exact(baseline), own, exact(own));
}

}  // namespace pacbench::report
