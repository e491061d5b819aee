#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "analysis/compare/timed.h"
#include "contract/result/step_time.h"
#include "harness/statistics/spread.h"

namespace pacbench::compare {
namespace {

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

/// A stratum for each seed that has cells on both sides.
template <typename Value>
statistics::Strata strata_of(const std::vector<SeedCells>& seeds, const Value& value) {
  statistics::Strata strata;
  for (const auto& each : seeds) {
    if (each.base.empty() || each.next.empty()) continue;
    strata.push_back({each.seed, values_of(each.base, value), values_of(each.next, value)});
  }
  return strata;
}

/// The seconds that a cell took to a target; infinite when it did not reach the target.
double time_to(const CellResult& cell, const Target& wanted) {
  for (const auto& target : cell.targets) {
    if (target.target == wanted && target.tta_s) return *target.tta_s;
  }
  return std::numeric_limits<double>::infinity();
}

/// Targets that all cells have, in ascending order.
std::set<Target> common_targets(const std::vector<SeedCells>& seeds) {
  std::set<Target> common;
  bool is_first = true;
  for (const auto& each : seeds) {
    for (const auto* side : {&each.base, &each.next}) {
      for (const auto* cell : *side) {
        std::set<Target> targets;
        for (const auto& target : cell->targets) targets.insert(target.target);
        if (is_first) common = targets;
        std::erase_if(common, [&](const Target& target) { return !targets.contains(target); });
        is_first = false;
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
             std::vector<double> statistics::Stratum::*side) {
  const auto all = statistics::median(statistics::together(whole, side));
  return all > 0 ? statistics::median(statistics::together(part, side)) / all : 0;
}

bool none_reached(const statistics::Strata& strata) {
  return std::all_of(strata.begin(), strata.end(), [](const statistics::Stratum& stratum) {
    const auto never = [](double value) { return !std::isfinite(value); };
    return std::all_of(stratum.base.begin(), stratum.base.end(), never) &&
           std::all_of(stratum.next.begin(), stratum.next.end(), never);
  });
}

void leave_out(TimedRow& row, const std::string& why) {
  row.verdict = TimedRow::Verdict::kUntested;
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
    row.seconds = strata_of(seeds_, value);
    row.verdict = TimedRow::Verdict::kInconclusive;
    row.notes = notes_;
    return row;
  }

  void add_encode(const TimedRow& step) {
    auto row = make("encode_s", options_.encode_threshold,
                    [](const CellResult& cell) { return cell.encode_s; });
    const auto most = std::max(share(row.seconds, step.seconds, &statistics::Stratum::base),
                               share(row.seconds, step.seconds, &statistics::Stratum::next));
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

}  // namespace

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

}  // namespace pacbench::compare
