#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "harness/compare/timed.h"
#include "harness/statistics/spread.h"

namespace pacbench {
namespace {

using Pairs = std::vector<const CellPair*>;

/// The cells of one side of a row, and what was left out of them.
struct Cells {
  std::vector<const CellResult*> counted;
  std::size_t suspect = 0;
  std::size_t cpu_bound = 0;
};

Cells cells_of(const Pairs& pairs, std::vector<RecordedCell> CellPair::*side) {
  Cells cells;
  for (const auto* pair : pairs) {
    for (const auto& cell : pair->*side) {
      if (cell.numbers->status != "done") continue;
      if (cell.numbers->link_verdict.word != "ok") {
        ++cells.suspect;
        continue;
      }
      if (cell.numbers->host_verdict.word != "ok") ++cells.cpu_bound;
      cells.counted.push_back(cell.numbers);
    }
  }
  return cells;
}

std::vector<double> values_of(const Cells& cells, double CellResult::*member) {
  std::vector<double> values;
  for (const auto* cell : cells.counted) values.push_back(cell->*member);
  return values;
}

std::vector<double> times_to(const Cells& cells, double accuracy) {
  std::vector<double> times;
  for (const auto* cell : cells.counted) {
    for (const auto& target : cell->targets) {
      if (target.accuracy != accuracy) continue;
      times.push_back(target.tta_s.value_or(std::numeric_limits<double>::infinity()));
    }
  }
  return times;
}

/// Accuracies that every cell of both sides was asked for, in ascending order.
std::set<double> common_targets(const Cells& base, const Cells& next) {
  std::set<double> common;
  bool is_first = true;
  for (const auto* side : {&base, &next}) {
    for (const auto* cell : side->counted) {
      std::set<double> targets;
      for (const auto& target : cell->targets) targets.insert(target.accuracy);
      if (is_first) common = targets;
      std::erase_if(common, [&](double accuracy) { return !targets.contains(accuracy); });
      is_first = false;
    }
  }
  return common;
}

std::vector<std::string> notes_on(const Cells& base, const Cells& next) {
  std::vector<std::string> notes;
  if (base.suspect + next.suspect > 0) {
    notes.push_back(fmt::format("suspect: {}/{} cells left out", base.suspect, next.suspect));
  }
  if (base.cpu_bound + next.cpu_bound > 0) {
    notes.push_back(fmt::format("cpu-bound: {}/{} cells", base.cpu_bound, next.cpu_bound));
  }
  return notes;
}

double share(const std::vector<double>& part, const std::vector<double>& whole) {
  return part.empty() || median(whole) <= 0 ? 0 : median(part) / median(whole);
}

bool none_reached(const std::vector<double>& values) {
  return std::none_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// All rows of one method over one link.
class RowMaker {
 public:
  RowMaker(const Pairs& pairs, std::vector<TimedRow>& rows)
      : first_{*pairs.front()},
        base_{cells_of(pairs, &CellPair::base)},
        next_{cells_of(pairs, &CellPair::next)},
        rows_{rows} {}

  void add() {
    const auto step =
        add("time_per_iteration_s", values_of(base_, &CellResult::time_per_iteration_s),
            values_of(next_, &CellResult::time_per_iteration_s));
    add_encode(step);
    for (const auto accuracy : common_targets(base_, next_)) {
      auto row = make("tta_s", times_to(base_, accuracy), times_to(next_, accuracy));
      row.target = accuracy;
      if (none_reached(row.base) && none_reached(row.next)) {
        leave_out(row, "reached on neither side");
      }
      rows_.push_back(row);
    }
  }

 private:
  TimedRow make(std::string metric, std::vector<double> base, std::vector<double> next) const {
    TimedRow row;
    row.label = first_.label;
    row.link = first_.link;
    row.metric = std::move(metric);
    row.base = std::move(base);
    row.next = std::move(next);
    row.verdict = TimedRow::Verdict::kInconclusive;
    row.notes = notes_on(base_, next_);
    return row;
  }

  TimedRow add(std::string metric, std::vector<double> base, std::vector<double> next) {
    rows_.push_back(make(std::move(metric), std::move(base), std::move(next)));
    return rows_.back();
  }

  void add_encode(const TimedRow& step) {
    auto row = make("encode_s", values_of(base_, &CellResult::encode_s),
                    values_of(next_, &CellResult::encode_s));
    const auto most = std::max(share(row.base, step.base), share(row.next, step.next));
    if (!row.base.empty() && !row.next.empty() && most < kEncodeShare) {
      leave_out(row, fmt::format("not tested: under {:g} % of an iteration", 100 * kEncodeShare));
    }
    rows_.push_back(std::move(row));
  }

  static void leave_out(TimedRow& row, const std::string& why) {
    row.verdict = TimedRow::Verdict::kUntested;
    row.notes.insert(row.notes.begin(), why);
  }

  const CellPair& first_;
  Cells base_;
  Cells next_;
  std::vector<TimedRow>& rows_;
};

}  // namespace

std::vector<TimedRow> timed_rows(const std::vector<CellPair>& pairs) {
  std::vector<TimedRow> rows;
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& pair : pairs) {
    if (!seen.emplace(pair.label, pair.link).second) continue;
    Pairs same;
    for (const auto& other : pairs) {
      const bool is_same = other.label == pair.label && other.link == pair.link;
      if (is_same && !other.base.empty() && !other.next.empty()) same.push_back(&other);
    }
    if (!same.empty()) RowMaker{same, rows}.add();
  }
  return rows;
}

}  // namespace pacbench
