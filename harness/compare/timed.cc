#include "harness/compare/timed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/statistics/holm.h"
#include "harness/statistics/runs_needed.h"

namespace pacbench {
namespace {

using Word = TimedRow::Verdict;

bool can_be_tested(const TimedRow& row) {
  return row.verdict != Word::kUntested && !row.base.empty() && !row.next.empty();
}

std::vector<double> reached(const std::vector<double>& values) {
  std::vector<double> kept;
  for (const auto value : values) {
    if (std::isfinite(value) && value > 0) kept.push_back(value);
  }
  return kept;
}

/// Whether a change by the threshold would have shown, and with how many values it would.
void judge_power(TimedRow& row, const Demand& demand) {
  const auto residuals = log_residuals(reached(row.base), reached(row.next));
  const auto smaller = std::min(row.base.size(), row.next.size());
  if (!residuals.empty()) row.share_found = share_found(residuals, smaller, demand);
  if (row.share_found >= demand.power) {
    row.verdict = Word::kUnchanged;
    return;
  }
  row.verdict = Word::kInconclusive;
  row.runs_needed =
      residuals.empty() ? std::optional{fewest_runs(demand.alpha)} : runs_needed(residuals, demand);
}

void judge(TimedRow& row, const CompareOptions& options, std::size_t tests) {
  const double factor = 1 + options.threshold;
  if (row.p_holm >= options.alpha) {
    // The first and strictest step of Holm's: which step a row comes to is known only afterwards.
    judge_power(row, {factor, options.alpha / static_cast<double>(tests), kPower});
  } else if (row.ratio.value >= factor) {
    row.verdict = Word::kRegressed;
  } else if (row.ratio.value <= 1 / factor) {
    row.verdict = Word::kImproved;
  } else {
    row.verdict = Word::kUnchanged;
    row.notes.push_back(fmt::format("differs, but by less than {:g} %", 100 * options.threshold));
  }
}

}  // namespace

const char* word_of(TimedRow::Verdict verdict) {
  switch (verdict) {
    case Word::kUnchanged:
      return "unchanged";
    case Word::kImproved:
      return "improved";
    case Word::kRegressed:
      return "regressed";
    case Word::kInconclusive:
      return "inconclusive";
    case Word::kUntested:
      return "not tested";
  }
  return "";
}

void test_rows(std::vector<TimedRow>& rows, const CompareOptions& options) {
  std::vector<TimedRow*> tested;
  std::vector<double> p;
  for (auto& row : rows) {
    if (!can_be_tested(row)) continue;
    row.test = mann_whitney(row.base, row.next);
    row.ratio = hodges_lehmann(row.base, row.next);
    tested.push_back(&row);
    p.push_back(row.test.p_two_sided);
  }
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->p_holm = adjusted[i];
    judge(*tested[i], options, tested.size());
  }
  for (auto& row : rows) {
    const bool lacks = row.base.empty() || row.next.empty();
    if (row.verdict == Word::kInconclusive && lacks) {
      row.notes.push_back("no cell of one side counts");
    }
  }
}

}  // namespace pacbench
