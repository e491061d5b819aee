#include "analysis/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/report/merge.h"
#include "contract/result/result.h"
#include "harness/statistics/spread.h"

namespace pacbench::compare {
namespace {

using Word = TimedRow::Verdict;
using statistics::Stratum;
using statistics::together;

using Pairs = std::vector<const CellPair*>;

using Cells = std::vector<const CellResult*>;

/// The cells of one seed that count, for each side.
struct SeedCells {
  std::int64_t seed = 0;
  Cells base;
  Cells next;
};

/// The numbers of done cells of one side that are left out as suspect, and that count although
/// cpu-bound.
struct Noted {
  std::size_t suspect = 0;
  std::size_t cpu_bound = 0;
};

Cells counted(const std::vector<RecordedCell>& recorded, Noted& noted) {
  Cells cells;
  for (const auto& cell : recorded) {
    if (cell.numbers->status != CellStatus::kDone) continue;
    if (cell.numbers->link_verdict.word != "ok") {
      ++noted.suspect;
      continue;
    }
    if (cell.numbers->host_verdict.word != "ok") ++noted.cpu_bound;
    cells.push_back(cell.numbers);
  }
  return cells;
}

template <typename Value>
std::vector<double> values_of(const Cells& cells, const Value& value) {
  std::vector<double> values;
  for (const auto* cell : cells) values.push_back(value(*cell));
  return values;
}

/// The seconds that a cell took to a target; infinite when it did not reach the target.
double time_to(const CellResult& cell, const Target& wanted) {
  const auto* target = report::find_target(cell, wanted);
  return target != nullptr && target->tta_s ? *target->tta_s
                                            : std::numeric_limits<double>::infinity();
}

/// Targets that all cells have, in ascending order.
std::set<Target> common_targets(const std::vector<SeedCells>& seeds) {
  std::set<Target> common;
  bool is_first = true;
  for (const auto& each : seeds) {
    for (const auto* side : {&each.base, &each.next}) {
      for (const auto* cell : *side) {
        if (is_first) {
          for (const auto& target : cell->targets) common.insert(target.target);
        }
        is_first = false;
        std::erase_if(common, [&](const Target& target) {
          return report::find_target(*cell, target) == nullptr;
        });
      }
    }
  }
  return common;
}

std::vector<std::string> notes_on(const Noted& base, const Noted& next) {
  std::vector<std::string> notes;
  if (base.suspect + next.suspect > 0) {
    notes.push_back(
        fmt::format("suspect: {} base and {} new cells left out", base.suspect, next.suspect));
  }
  if (base.cpu_bound + next.cpu_bound > 0) {
    notes.push_back(
        fmt::format("cpu-bound: {} base and {} new cells", base.cpu_bound, next.cpu_bound));
  }
  return notes;
}

/// The median of `part` divided by that of `whole`, each over all seeds of one side.
double share(const statistics::Strata& part, const statistics::Strata& whole,
             std::vector<double> Stratum::*side) {
  const auto all = statistics::median(together(whole, side));
  return all > 0 ? statistics::median(together(part, side)) / all : 0;
}

bool none_reached(const statistics::Strata& strata) {
  const auto reached = [](double value) { return std::isfinite(value); };
  return std::ranges::none_of(together(strata, &Stratum::base), reached) &&
         std::ranges::none_of(together(strata, &Stratum::next), reached);
}

void leave_out(TimedRow& row, const std::string& why) {
  row.verdict = Word::kUntested;
  row.notes.insert(row.notes.begin(), why);
}

/// Makes all rows of one method over one link.
class RowMaker {
 public:
  RowMaker(const Pairs& pairs, const CompareOptions& options, std::vector<TimedRow>& rows)
      : first_{*pairs.front()}, options_{options}, rows_{rows} {
    Noted base;
    Noted next;
    for (const auto* pair : pairs) {
      seeds_.push_back({pair->seed, counted(pair->base, base), counted(pair->next, next)});
    }
    notes_ = notes_on(base, next);
  }

  void add() {
    const auto step = make("time_per_iteration_s", options_.threshold, step_time_s);
    rows_.push_back(step);
    if (step.seconds.empty()) return;  // this row alone reports that values are missing
    add_encode(step);
    for (const auto& target : common_targets(seeds_)) add_time_to(target);
  }

 private:
  template <typename Value>
  TimedRow make(std::string metric, double threshold, const Value& value) const {
    TimedRow row;
    row.label = first_.label;
    row.link = first_.link;
    row.metric = std::move(metric);
    row.threshold = threshold;
    for (const auto& each : seeds_) {
      if (each.base.empty() || each.next.empty()) continue;
      row.seconds.push_back({each.seed, values_of(each.base, value), values_of(each.next, value)});
    }
    row.verdict = Word::kInconclusive;
    row.notes = notes_;
    return row;
  }

  void add_encode(const TimedRow& step) {
    auto row = make("encode_s", options_.encode_threshold,
                    [](const CellResult& cell) { return cell.encode_s; });
    const auto most = std::max(share(row.seconds, step.seconds, &Stratum::base),
                               share(row.seconds, step.seconds, &Stratum::next));
    if (most < kEncodeShare) {
      leave_out(row, fmt::format("not tested: less than {:g} % of an iteration on each side",
                                 100 * kEncodeShare));
    }
    rows_.push_back(std::move(row));
  }

  void add_time_to(const Target& target) {
    auto row = make("tta_s", options_.threshold,
                    [&](const CellResult& cell) { return time_to(cell, target); });
    row.target = target;
    if (none_reached(row.seconds)) leave_out(row, "no run of either side reached the target");
    rows_.push_back(std::move(row));
  }

  const CellPair& first_;
  const CompareOptions& options_;
  std::vector<SeedCells> seeds_;
  std::vector<std::string> notes_;
  std::vector<TimedRow>& rows_;
};

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

bool can_be_tested(const TimedRow& row) {
  return row.verdict != Word::kUntested && !row.seconds.empty();
}

std::vector<TimedRow> timed_rows(const std::vector<CellPair>& pairs,
                                 const CompareOptions& options) {
  std::vector<TimedRow> rows;
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& pair : pairs) {
    if (!seen.emplace(pair.label, pair.link).second) continue;
    Pairs same;
    for (const auto& other : pairs) {
      const bool is_same = other.label == pair.label && other.link == pair.link;
      if (is_same && !other.base.empty() && !other.next.empty()) same.push_back(&other);
    }
    if (!same.empty()) RowMaker{same, options, rows}.add();
  }
  return rows;
}

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
