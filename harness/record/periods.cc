#include "harness/record/periods.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "harness/statistics/spread.h"

namespace pacbench::record {
namespace {

constexpr double kLong = 1.5;           // × the median step
constexpr double kMatters = 1.1;        // × the median step: the mean from which long steps matter
constexpr std::size_t kFewestLong = 3;  // long steps at a place
constexpr double kMostAreLong = 0.9;    // of the steps at a place
constexpr double kExplained = 2.0 / 3;

/// The steps at one place of the period.
struct Place {
  std::vector<double> steps_s;
  std::vector<double> weights;
  std::size_t long_ones = 0;
};

/// All steps but the first.
struct Later {
  explicit Later(const QuietSteps& quiet) : Later{quiet.steps(), quiet.weights()} {}

  Later(const std::vector<CellRecord::Step>& steps, const std::vector<double>& weights) {
    for (std::size_t i = 1; i < steps.size(); ++i) {
      all.iterations.push_back(steps[i].iteration);
      all.steps_s.push_back(steps[i].step_s);
      all.weights.push_back(weights[i]);
    }
  }

  double mean_s() const {
    return std::inner_product(all.steps_s.begin(), all.steps_s.end(), all.weights.begin(), 0.0) /
           std::accumulate(all.weights.begin(), all.weights.end(), 0.0);
  }

  std::map<std::int64_t, Place> places(std::int64_t period, double long_s) const {
    std::map<std::int64_t, Place> found;
    for (std::size_t i = 0; i < all.steps_s.size(); ++i) {
      auto& place = found[all.iterations[i] % period];
      place.steps_s.push_back(all.steps_s[i]);
      place.weights.push_back(all.weights[i]);
      place.long_ones += all.steps_s[i] >= long_s ? 1 : 0;
    }
    return found;
  }

  struct {
    std::vector<std::int64_t> iterations;
    std::vector<double> steps_s;
    std::vector<double> weights;
  } all;
};

/// The distance that occurs most often, the shortest of several; 0 without distances.
std::int64_t most_common(const std::vector<std::int64_t>& distances) {
  std::map<std::int64_t, int> counts;
  for (const auto distance : distances) ++counts[distance];
  std::int64_t best = 0;
  for (const auto& [distance, count] : counts) {
    if (best == 0 || count > counts.at(best)) best = distance;
  }
  return best;
}

/// The distances between long steps that may be the period: with one long step in each period, and
/// with two.
std::vector<std::int64_t> candidates(const std::vector<std::int64_t>& long_iterations) {
  std::vector<std::int64_t> found;
  for (std::size_t apart = 1; apart <= 2; ++apart) {
    std::vector<std::int64_t> distances;
    for (std::size_t i = apart; i < long_iterations.size(); ++i) {
      distances.push_back(long_iterations[i] - long_iterations[i - apart]);
    }
    if (const auto distance = most_common(distances); distance > 1) found.push_back(distance);
  }
  return found;
}

std::int64_t period_of(const Later& later) {
  if (later.all.steps_s.empty()) return 1;
  const double median_s = statistics::weighted_median(later.all.steps_s, later.all.weights);
  const double long_s = kLong * median_s;
  std::vector<std::int64_t> long_iterations;
  for (std::size_t i = 0; i < later.all.steps_s.size(); ++i) {
    if (later.all.steps_s[i] >= long_s) long_iterations.push_back(later.all.iterations[i]);
  }
  if (long_iterations.size() < kFewestLong || later.mean_s() < kMatters * median_s) return 1;
  for (const auto period : candidates(long_iterations)) {
    std::size_t explained = 0;
    for (const auto& [number, place] : later.places(period, long_s)) {
      const auto all = static_cast<double>(place.steps_s.size());
      const bool is_long = place.long_ones >= kFewestLong &&
                           static_cast<double>(place.long_ones) >= kMostAreLong * all;
      if (is_long) explained += place.long_ones;
    }
    const auto all_long = static_cast<double>(long_iterations.size());
    if (static_cast<double>(explained) >= kExplained * all_long) return period;
  }
  const auto half = (later.all.iterations.front() + later.all.iterations.back()) / 2;
  const auto in_second_half =
      std::count_if(long_iterations.begin(), long_iterations.end(),
                    [&](std::int64_t iteration) { return iteration > half; });
  return 3 * in_second_half < std::ssize(long_iterations) ? 1 : 0;
}

}  // namespace

std::int64_t period_of(const QuietSteps& quiet, const std::vector<CellRecord::Step>& all) {
  const auto of_quiet = period_of(Later{quiet});
  if (of_quiet > 1 || quiet.disturbed() == 0) return of_quiet;
  const auto of_all = period_of(Later{all, std::vector<double>(all.size(), 1)});
  return of_all > 1 ? of_all : of_quiet;
}

std::optional<double> step_over_periods_s(const QuietSteps& quiet, std::int64_t period) {
  const Later later{quiet};
  if (later.all.steps_s.empty()) return std::nullopt;
  if (period == 0) return later.mean_s();
  auto places = later.places(period, 0);
  const auto& first = quiet.steps().front();
  auto& place_of_first = places[first.iteration % period];
  if (place_of_first.steps_s.empty()) place_of_first = {{first.step_s}, {1}};
  if (std::ssize(places) < period) return std::nullopt;
  double sum_s = 0;
  for (const auto& [number, place] : places) {
    sum_s += statistics::weighted_median(place.steps_s, place.weights);
  }
  return sum_s / static_cast<double>(period);
}

}  // namespace pacbench::record
