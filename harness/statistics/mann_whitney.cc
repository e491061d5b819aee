#include "harness/statistics/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace pacbench {
namespace {

constexpr double kMostSteps = 1e8;
constexpr std::size_t kMostCounted = 30;

/// Of all values together, `base` first: twice the mean position of those that are equal.
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

/// How many choices of `chosen` of the ranks have each sum. Counts of sides that are small enough
/// stay far below the largest double.
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

/// P(sum ≥ found) and P(sum ≤ found).
Tails tails(const std::vector<double>& choices, std::size_t found) {
  const auto at = choices.begin() + static_cast<std::ptrdiff_t>(found);
  const auto total = std::accumulate(choices.begin(), choices.end(), 0.0);
  return {std::accumulate(at, choices.end(), 0.0) / total,
          std::accumulate(choices.begin(), at + 1, 0.0) / total};
}

/// Choosing the smaller side is the same question the other way round, and fewer steps.
Tails exact_tails(const std::vector<std::size_t>& ranks, std::size_t base) {
  const auto middle = ranks.begin() + static_cast<std::ptrdiff_t>(base);
  const auto next = ranks.size() - base;
  if (next <= base) {
    return tails(choices_by_sum(ranks, next), std::accumulate(middle, ranks.end(), std::size_t{0}));
  }
  const auto mirrored =
      tails(choices_by_sum(ranks, base), std::accumulate(ranks.begin(), middle, std::size_t{0}));
  return {mirrored.less, mirrored.greater};
}

Tails normal_tails(double u, double base, double next, double ties) {
  const auto all = base + next;
  const auto variance = base * next / 12 * (all + 1 - ties / (all * (all - 1)));
  if (variance <= 0) return {};
  const auto beyond = [&](double value) {
    const auto z = (value - base * next / 2 - 0.5) / std::sqrt(variance);
    return std::min(1.0, std::erfc(z / std::sqrt(2.0)) / 2);
  };
  return {beyond(u), beyond(base * next - u)};
}

void require_values(const std::vector<double>& values) {
  if (values.empty()) throw std::invalid_argument{"a test of no values"};
  for (const auto value : values) {
    if (std::isnan(value)) throw std::invalid_argument{"a test of a value that is not a number"};
  }
}

}  // namespace

MannWhitney mann_whitney(const std::vector<double>& base, const std::vector<double>& next) {
  require_values(base);
  require_values(next);
  auto values = base;
  values.insert(values.end(), next.begin(), next.end());
  const auto ranks = rank(values);
  const auto count = static_cast<double>(values.size());
  const auto base_count = static_cast<double>(base.size());
  const auto next_count = static_cast<double>(next.size());

  const auto middle = ranks.doubled.begin() + static_cast<std::ptrdiff_t>(base.size());
  const auto sum = std::accumulate(middle, ranks.doubled.end(), std::size_t{0});
  MannWhitney result;
  result.u = static_cast<double>(sum) / 2 - next_count * (next_count + 1) / 2;
  const auto steps = std::min(base_count, next_count) * count * count * (count + 1);
  result.exact = steps <= kMostSteps;
  const auto both = result.exact ? exact_tails(ranks.doubled, base.size())
                                 : normal_tails(result.u, base_count, next_count, ranks.ties);
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
    while (u > 0 && is_enough(normal_tails(u - 1, count, count, 0))) --u;
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

}  // namespace pacbench
