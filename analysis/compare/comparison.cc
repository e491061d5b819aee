#include "analysis/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/report/merge.h"
#include "contract/result/result.h"
#include "harness/statistics/spread.h"

namespace pacbench::compare {
namespace {

constexpr const char* kYardstick = "all-reduce";

/// The usable cells (is_usable()) of a method over a link, of all seeds.
struct Group {
  std::string label;
  std::string link;
  std::vector<RecordedCell> base;
  std::vector<RecordedCell> next;
};

bool is_usable(const RecordedCell& cell) {
  return cell.numbers->status == CellStatus::kDone && cell.numbers->link_verdict.word != "suspect";
}

template <typename Groups>
auto find_group(Groups& groups, const std::string& label, const std::string& link) {
  return std::ranges::find_if(
      groups, [&](const Group& each) { return each.label == label && each.link == link; });
}

std::vector<Group> groups_of(const std::vector<CellPair>& pairs) {
  std::vector<Group> groups;
  for (const auto& pair : pairs) {
    auto group = find_group(groups, pair.label, pair.link);
    if (group == groups.end()) group = groups.insert(group, {pair.label, pair.link, {}, {}});
    std::ranges::copy_if(pair.base, std::back_inserter(group->base), is_usable);
    std::ranges::copy_if(pair.next, std::back_inserter(group->next), is_usable);
  }
  std::erase_if(groups, [](const Group& each) { return each.base.empty() || each.next.empty(); });
  return groups;
}

double step_s(const std::vector<RecordedCell>& cells) {
  std::vector<double> steps;
  for (const auto& cell : cells) steps.push_back(step_time_s(*cell.numbers));
  return statistics::median(steps);
}

bool is_cpu_bound(const RecordedCell& cell) {
  return cell.numbers->host_verdict.word == "cpu-bound";
}

std::string step_note(const Group& group, const Group& yardstick) {
  for (const auto* each : {&group, &yardstick}) {
    if (std::ranges::any_of(each->base, is_cpu_bound) ||
        std::ranges::any_of(each->next, is_cpu_bound)) {
      return each->label + " is cpu-bound on at least one side";
    }
  }
  return "";
}

/// The median of the iterations to a target over the cells that reached it; absent when half of all
/// cells or more did not.
std::optional<double> iterations_to(const Target& target, const std::vector<RecordedCell>& cells) {
  std::vector<double> found;
  for (const auto& cell : cells) {
    const auto* result = report::find_target(*cell.numbers, target);
    if (result != nullptr && result->iterations) {
      found.push_back(static_cast<double>(*result->iterations));
    }
  }
  if (2 * found.size() <= cells.size()) return std::nullopt;
  return statistics::median(found);
}

bool all_looked_for(const Target& target, const std::vector<RecordedCell>& cells) {
  return std::ranges::all_of(cells, [&](const RecordedCell& cell) {
    return report::find_target(*cell.numbers, target) != nullptr;
  });
}

void add_iterations(const Group& group, std::vector<CarriedRow>& rows) {
  const bool has_equal_bits = why_no_bits(group.base, group.next).empty();
  const auto note = has_equal_bits ? "" : "the sides may add floats in different orders";
  for (const auto& each : group.base.front().numbers->targets) {
    // A target set as a share of all-reduce's accuracy is another accuracy on another machine.
    if (!all_looked_for(each.target, group.base) || !all_looked_for(each.target, group.next)) {
      continue;
    }
    rows.push_back({group.label, group.link, "iterations to " + words_of(each.target),
                    iterations_to(each.target, group.base), iterations_to(each.target, group.next),
                    note});
  }
}

SideSummary summarise(const std::vector<ComparedRun>& runs) {
  SideSummary side;
  for (const auto& run : runs) {
    side.folders.push_back(run.folder);
    const auto known = std::ranges::find(side.commits, run.manifest.git_commit);
    if (known == side.commits.end()) side.commits.push_back(run.manifest.git_commit);
  }
  return side;
}

Outcome outcome_of(const Comparison& comparison) {
  const auto gate = [&](GateCheck::Found found) {
    return std::ranges::count(comparison.gate, found, &GateCheck::found) > 0;
  };
  const auto row = [&](TimedRow::Verdict verdict) {
    return std::ranges::count(comparison.rows, verdict, &TimedRow::verdict) > 0;
  };
  if (gate(GateCheck::Found::kBroken) || row(TimedRow::Verdict::kRegressed)) {
    return Outcome::kRegressed;
  }
  if (!comparison.machines.empty()) return Outcome::kIncomparable;
  if (gate(GateCheck::Found::kUnstable) || row(TimedRow::Verdict::kInconclusive)) {
    return Outcome::kInconclusive;
  }
  return Outcome::kFine;
}

}  // namespace

std::vector<CarriedRow> carried_rows(const std::vector<CellPair>& pairs) {
  const auto groups = groups_of(pairs);
  std::vector<CarriedRow> rows;
  for (const auto& group : groups) {
    const auto yardstick = find_group(groups, kYardstick, group.link);
    if (yardstick != groups.end() && &*yardstick != &group && step_s(group.base) > 0) {
      rows.push_back({group.label, group.link, "step / all-reduce's",
                      step_s(group.base) / step_s(yardstick->base),
                      step_s(group.next) / step_s(yardstick->next), step_note(group, *yardstick)});
    }
    add_iterations(group, rows);
  }
  return rows;
}

Comparison compare(const std::vector<ComparedRun>& base, const std::vector<ComparedRun>& next,
                   const CompareOptions& options) {
  const auto& first = base.front();
  Comparison comparison;
  comparison.options = options;
  comparison.scenario = first.result.scenario.value("name", "");
  comparison.mode = first.result.mode;
  comparison.comparison_hash = first.result.comparison_hash;
  comparison.machine = fmt::format("{}, {} cores, {}", first.machine().cpu, first.machine().cores,
                                   first.machine().kernel);
  comparison.base = summarise(base);
  comparison.next = summarise(next);
  const auto pairs = pair_cells(base, next);
  comparison.gate = check_gate(pairs, options.by_time);
  if (has_network(comparison)) {
    comparison.machines = machine_mismatches(base, next);
    if (comparison.machines.empty()) {
      comparison.rows = timed_rows(pairs, options);
      test_rows(comparison.rows, options.alpha);
    } else {
      comparison.carried = carried_rows(pairs);
    }
  }
  comparison.outcome = outcome_of(comparison);
  return comparison;
}

}  // namespace pacbench::compare
