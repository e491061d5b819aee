#include "harness/statistics/hodges_lehmann.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/statistics/random.h"

namespace pacbench::statistics {
namespace {

/// Infinity minus infinity and log 0 minus log 0 are not numbers, so equal values get a shift of 0.
double shift(double base, double next) { return base == next ? 0 : next - base; }

/// The median. Two infinite middle values of unlike sign have no mean, so the shift is 0.
double middle(std::vector<double>& values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  const auto lower = *std::max_element(values.begin(), upper);
  if (lower == *upper) return lower;
  const auto sum = lower + *upper;
  return std::isnan(sum) ? 0 : sum / 2;
}

/// The median of the shifts of all pairs of logarithms; both of a pair are of the same stratum.
/// `shifts` is scratch memory.
double median_shift(const Strata& strata, std::vector<double>& shifts) {
  shifts.clear();
  for (const auto& stratum : strata) {
    for (const auto one : stratum.base) {
      for (const auto other : stratum.next) shifts.push_back(shift(one, other));
    }
  }
  return middle(shifts);
}

std::vector<double> logs(const std::vector<double>& values) {
  if (values.empty()) throw std::invalid_argument{"a ratio of no values"};
  std::vector<double> all;
  for (const auto value : values) {
    if (!(value >= 0)) throw std::invalid_argument{"a ratio of a value that is not a time"};
    all.push_back(std::log(value));
  }
  return all;
}

void draw(const std::vector<double>& from, Random& random, std::vector<double>& drawn) {
  drawn.clear();
  for (std::size_t i = 0; i < from.size(); ++i) drawn.push_back(from[random.below(from.size())]);
}

/// Interpolates as quantile() does. Where a neighbour is infinite, takes the nearer neighbour.
double percentile(const std::vector<double>& sorted, double fraction) {
  const auto position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, sorted.size() - 1);
  const auto weight = position - static_cast<double>(below);
  if (!std::isfinite(sorted[below]) || !std::isfinite(sorted[above])) {
    return sorted[weight < 0.5 ? below : above];
  }
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

}  // namespace

Ratio hodges_lehmann(const Strata& strata, const Bootstrap& bootstrap) {
  if (strata.empty()) throw std::invalid_argument{"a ratio of no values"};
  Strata logarithms;
  for (const auto& stratum : strata) {
    logarithms.push_back({stratum.seed, logs(stratum.base), logs(stratum.next)});
  }
  Random random{bootstrap.seed};
  Strata drawn(strata.size());
  std::vector<double> shifts;
  std::vector<double> found;
  for (std::size_t i = 0; i < bootstrap.resamples; ++i) {
    for (std::size_t k = 0; k < strata.size(); ++k) {
      draw(logarithms[k].base, random, drawn[k].base);
      draw(logarithms[k].next, random, drawn[k].next);
    }
    found.push_back(median_shift(drawn, shifts));
  }
  std::sort(found.begin(), found.end());
  const auto tail = (1 - bootstrap.confidence) / 2;
  return {std::exp(median_shift(logarithms, shifts)), std::exp(percentile(found, tail)),
          std::exp(percentile(found, 1 - tail))};
}

}  // namespace pacbench::statistics
