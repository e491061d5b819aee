#include "harness/statistics/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

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
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t one, std::size_t other) { return values[one] < values[other]; });
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

}  // namespace pacbench::statistics
