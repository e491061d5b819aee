#include "harness/statistics/two_sides.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "harness/statistics/block_bootstrap.h"
#include "harness/statistics/spread.h"

namespace pacbench::statistics {
namespace {

constexpr double kMostSteps = 1e8;
constexpr std::size_t kMostCounted = 30;

/// The ranks of all values together, those of `base` first. A doubled rank is twice the mean
/// position of equal values.
struct Ranks {
  std::vector<std::size_t> doubled;
  double ties = 0;  ///< sum of t³ − t over groups of t equal values
};

Ranks rank(const std::vector<double>& values) {
  const auto order = ascending(values);
  Ranks ranks{std::vector<std::size_t>(values.size()), 0};
  for (std::size_t first = 0, next = 0; first < order.size(); first = next) {
    while (next < order.size() && values[order[next]] == values[order[first]]) ++next;
    for (auto i = first; i < next; ++i) ranks.doubled[order[i]] = first + 1 + next;
    const auto tied = static_cast<double>(next - first);
    ranks.ties += tied * tied * tied - tied;
  }
  return ranks;
}

/// Counts, for each sum, the ways to choose `chosen` of the ranks that add up to it. For sides
/// small enough to be counted, the counts stay far below the largest double.
std::vector<double> choices_by_sum(const std::vector<std::size_t>& ranks, std::size_t chosen) {
  const auto most = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> counts(chosen + 1, std::vector<double>(most + 1, 0.0));
  counts[0][0] = 1;
  std::size_t seen = 0;
  for (const auto rank : ranks) {
    ++seen;
    for (auto k = std::min(seen, chosen); k > 0; --k) {
      for (std::size_t sum = rank; sum <= most; ++sum) {
        counts[k][sum] += counts[k - 1][sum - rank];
      }
    }
  }
  return counts[chosen];
}

struct Tails {
  double greater = 1;
  double less = 1;
};

/// The part of one stratum in the sum over all strata.
struct Part {
  double base = 0;  ///< number of values
  double next = 0;
  Ranks ranks;
  std::size_t doubled_sum = 0;  ///< of the ranks of `next`
};

Part part_of(const Stratum& stratum) {
  auto values = stratum.base;
  values.insert(values.end(), stratum.next.begin(), stratum.next.end());
  auto ranks = rank(values);
  const auto middle = ranks.doubled.begin() + static_cast<std::ptrdiff_t>(stratum.base.size());
  const auto sum = std::accumulate(middle, ranks.doubled.end(), std::size_t{0});
  return {static_cast<double>(stratum.base.size()), static_cast<double>(stratum.next.size()),
          std::move(ranks), sum};
}

double u_of(const Part& part) {
  return static_cast<double>(part.doubled_sum) / 2 - part.next * (part.next + 1) / 2;
}

double steps_of(const Part& part) {
  const auto count = part.base + part.next;
  return std::min(part.base, part.next) * count * count * (count + 1);
}

/// The probability of each doubled rank sum of `next`. Where `base` is smaller, its choices are
/// counted, in fewer steps: they give the same probabilities in reverse.
std::vector<double> chances(const Part& part) {
  const auto side = static_cast<std::size_t>(std::min(part.base, part.next));
  auto choices = choices_by_sum(part.ranks.doubled, side);
  if (part.base < part.next) std::reverse(choices.begin(), choices.end());
  const auto total = std::accumulate(choices.begin(), choices.end(), 0.0);
  for (auto& choice : choices) choice /= total;
  return choices;
}

/// The probabilities of the sum of two independent sums.
std::vector<double> fold(const std::vector<double>& one, const std::vector<double>& other) {
  std::vector<double> sums(one.size() + other.size() - 1, 0.0);
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] == 0) continue;
    for (std::size_t j = 0; j < other.size(); ++j) sums[i + j] += one[i] * other[j];
  }
  return sums;
}

/// P(sum ≥ found) and P(sum ≤ found).
Tails exact_tails(const std::vector<Part>& parts) {
  std::vector<double> all{1.0};
  std::size_t found = 0;
  for (const auto& part : parts) {
    all = fold(all, chances(part));
    found += part.doubled_sum;
  }
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(found);
  return {std::min(1.0, std::accumulate(at, all.end(), 0.0)),
          std::min(1.0, std::accumulate(all.begin(), at + 1, 0.0))};
}

/// Mean and variance of U under the null hypothesis: the values do not depend on the side.
struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments(double base, double next, double ties) {
  const auto all = base + next;
  return {base * next / 2, base * next / 12 * (all + 1 - ties / (all * (all - 1)))};
}

Tails normal_tails(double u, const Moments& null) {
  if (null.variance <= 0) return {};
  const auto beyond = [&](double distance) {
    const auto z = (distance - 0.5) / std::sqrt(null.variance);
    return std::min(1.0, std::erfc(z / std::sqrt(2.0)) / 2);
  };
  return {beyond(u - null.mean), beyond(null.mean - u)};
}

Tails normal_tails(double u, const std::vector<Part>& parts) {
  Moments null;
  for (const auto& part : parts) {
    const auto one = moments(part.base, part.next, part.ranks.ties);
    null.mean += one.mean;
    null.variance += one.variance;
  }
  return normal_tails(u, null);
}

void require_values(const std::vector<double>& values) {
  if (values.empty()) throw std::invalid_argument{"a test of no values"};
  for (const auto value : values) {
    if (std::isnan(value)) throw std::invalid_argument{"a test of a value that is not a number"};
  }
}

/// Infinity minus infinity and log 0 minus log 0 are not numbers, so equal values get a shift of 0.
double shift(double base, double next) { return base == next ? 0 : next - base; }

/// The median of the shifts of all pairs of logarithms; both of a pair are of the same stratum.
/// `shifts` is scratch memory.
double median_shift(const Strata& strata, std::vector<double>& shifts) {
  shifts.clear();
  for (const auto& stratum : strata) {
    for (const auto one : stratum.base) {
      for (const auto other : stratum.next) shifts.push_back(shift(one, other));
    }
  }
  return median_in_place(shifts);
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

constexpr std::size_t kLeastPairs = 3;

struct MeanWithin {
  double mean = 0;
  double half_width = 0;  ///< of the 95 % interval
};

MeanWithin mean_within(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const boost::math::students_t distribution{n - 1};
  const double t = boost::math::quantile(distribution, 0.975);
  return {mean, t * std::sqrt(squares / (n - 1) / n)};
}

}  // namespace

MannWhitney mann_whitney(const Strata& strata) {
  if (strata.empty()) throw std::invalid_argument{"a test of no values"};
  std::vector<Part> parts;
  MannWhitney result;
  double steps = 0;
  for (const auto& stratum : strata) {
    require_values(stratum.base);
    require_values(stratum.next);
    parts.push_back(part_of(stratum));
    result.u += u_of(parts.back());
    steps += steps_of(parts.back());
  }
  result.exact = steps <= kMostSteps;
  const auto both = result.exact ? exact_tails(parts) : normal_tails(result.u, parts);
  result.p_greater = both.greater;
  result.p_less = both.less;
  result.p_two_sided = std::min(1.0, 2 * std::min(both.greater, both.less));
  return result;
}

double smallest_p(std::size_t base, std::size_t next) {
  double p = 2;
  for (std::size_t i = 1; i <= next; ++i) {
    p *= static_cast<double>(i) / static_cast<double>(base + i);
  }
  return std::min(1.0, p);
}

double critical_u(std::size_t n, double alpha) {
  const auto count = static_cast<double>(n);
  const auto is_enough = [&](const Tails& both) { return 2 * both.greater <= alpha; };
  double u = count * count;
  if (n > kMostCounted) {
    while (u > 0 && is_enough(normal_tails(u - 1, moments(count, count, 0)))) --u;
    return u;
  }
  std::vector<std::size_t> ranks(2 * n);
  std::iota(ranks.begin(), ranks.end(), std::size_t{1});
  const auto choices = choices_by_sum(ranks, n);
  const auto total = std::accumulate(choices.begin(), choices.end(), 0.0);
  const auto lowest = n * (n + 1) / 2;
  double beyond = 0;
  for (auto sum = lowest + n * n;; --sum) {
    beyond += choices[sum];
    if (2 * beyond / total > alpha) return static_cast<double>(sum + 1 - lowest);
    if (sum == lowest) return 0;
  }
}

std::vector<double> holm(const std::vector<double>& p) {
  for (const auto value : p) {
    if (!(value >= 0 && value <= 1)) throw std::invalid_argument{"a p value outside [0, 1]"};
  }
  const auto order = ascending(p);
  std::vector<double> adjusted(p.size());
  double so_far = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto factor = static_cast<double>(p.size() - i);
    so_far = std::max(so_far, std::min(1.0, factor * p[order[i]]));
    adjusted[order[i]] = so_far;
  }
  return adjusted;
}

Ratio hodges_lehmann(const Strata& strata) {
  constexpr int kResamples = 2000;
  constexpr double kTail = (1 - 0.95) / 2;
  if (strata.empty()) throw std::invalid_argument{"a ratio of no values"};
  Strata logarithms;
  for (const auto& stratum : strata) {
    logarithms.push_back({stratum.seed, logs(stratum.base), logs(stratum.next)});
  }
  Random random{1};
  Strata drawn(strata.size());
  std::vector<double> shifts;
  std::vector<double> found;
  for (int i = 0; i < kResamples; ++i) {
    for (std::size_t k = 0; k < strata.size(); ++k) {
      draw(logarithms[k].base, random, drawn[k].base);
      draw(logarithms[k].next, random, drawn[k].next);
    }
    found.push_back(median_shift(drawn, shifts));
  }
  std::sort(found.begin(), found.end());
  return {std::exp(median_shift(logarithms, shifts)), std::exp(percentile(found, kTail)),
          std::exp(percentile(found, 1 - kTail))};
}

std::optional<PairedRatio> paired_ratio(const std::vector<Between>& base,
                                        const std::vector<Between>& own) {
  if (base.size() != own.size())
    throw std::invalid_argument{"pairs of two lists of different lengths"};
  if (base.size() < kLeastPairs) return std::nullopt;
  std::vector<double> least, middle, most;
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (base[i].from_s <= 0 || own[i].from_s <= 0) {
      throw std::invalid_argument{"a ratio of times that are not positive"};
    }
    least.push_back(std::log(base[i].from_s / own[i].until_s));
    middle.push_back(std::log(base[i].until_s / own[i].until_s));
    most.push_back(std::log(base[i].until_s / own[i].from_s));
  }
  const auto low = mean_within(least);
  const auto high = mean_within(most);
  return PairedRatio{std::exp(mean_within(middle).mean), std::exp(low.mean - low.half_width),
                     std::exp(high.mean + high.half_width)};
}

}  // namespace pacbench::statistics
