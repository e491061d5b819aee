#include "analysis/compare/timed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/statistics/holm.h"
#include "harness/statistics/runs_needed.h"

namespace pacbench::compare {
namespace {

using Word = TimedRow::Verdict;

bool can_be_tested(const TimedRow& row) {
  return row.verdict != Word::kUntested && !row.seconds.empty();
}

/// The strata with all times of `next` divided by `factor`.
statistics::Strata faster(statistics::Strata strata, double factor) {
  for (auto& stratum : strata) {
    for (auto& value : stratum.next) value /= factor;
  }
  return strata;
}

std::optional<double> standard_deviation(const std::vector<double>& residuals) {
  if (residuals.empty()) return std::nullopt;
  double squares = 0;
  for (const auto residual : residuals) squares += residual * residual;
  return std::sqrt(squares / static_cast<double>(residuals.size()));
}

/// The number of values that each side needs for a verdict. The p of a regression must be able to
/// get below `alpha`, and two equal sides must exclude a slow-down in a share kPower of
/// comparisons. By symmetry, a real slow-down is found as often at the same one-sided level. Where
/// the spread is unknown, only the first condition is used. Empty when even the largest number that
/// was tried is too small.
std::optional<std::size_t> values_needed(const TimedRow& row, double alpha) {
  const auto fewest = statistics::fewest_runs(alpha);
  const auto residuals = statistics::log_residuals(row.seconds);
  if (residuals.empty()) return fewest;
  const auto needed = statistics::runs_needed(residuals, {1 + row.threshold, 2 * kMissed, kPower});
  return needed ? std::optional{std::max(fewest, *needed)} : std::nullopt;
}

void judge(TimedRow& row, double alpha, std::size_t tests) {
  const double factor = 1 + row.threshold;
  const bool differs = row.p_holm < alpha;
  if (differs && row.ratio.value >= factor) {
    row.verdict = Word::kRegressed;
  } else if (differs && row.ratio.value <= 1 / factor) {
    row.verdict = Word::kImproved;
  } else if (row.p_slower < kMissed) {
    row.verdict = Word::kUnchanged;
    if (!differs) return;
    row.notes.push_back(fmt::format("differs, but by less than {:g} %", 100 * row.threshold));
  } else if (differs) {
    row.notes.push_back(
        fmt::format("differs; whether by {:g} % or more cannot be told", 100 * row.threshold));
  } else {
    // Uses the first and strictest step of Holm's test: a row's step is known only afterwards.
    row.runs_needed = values_needed(row, alpha / static_cast<double>(tests));
  }
}

}  // namespace

void test_rows(std::vector<TimedRow>& rows, double alpha) {
  std::vector<TimedRow*> tested;
  std::vector<double> p;
  for (auto& row : rows) {
    if (row.verdict == Word::kInconclusive && row.seconds.empty()) {
      row.notes.emplace_back("no seed has cells on both sides that can be compared");
    }
    if (!can_be_tested(row)) continue;
    row.test = statistics::mann_whitney(row.seconds);
    row.ratio = statistics::hodges_lehmann(row.seconds);
    row.p_slower = statistics::mann_whitney(faster(row.seconds, 1 + row.threshold)).p_less;
    row.spread = standard_deviation(statistics::log_residuals(row.seconds));
    tested.push_back(&row);
    p.push_back(row.test.p_two_sided);
  }
  const auto adjusted = statistics::holm(p);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->p_holm = adjusted[i];
    judge(*tested[i], alpha, tested.size());
  }
}

}  // namespace pacbench::compare
