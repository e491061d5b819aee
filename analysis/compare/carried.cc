#include "analysis/compare/carried.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/compare/curve_check.h"
#include "contract/result/step_time.h"
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

std::vector<Group> groups_of(const std::vector<CellPair>& pairs) {
  std::vector<Group> groups;
  for (const auto& pair : pairs) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& each) {
      return each.label == pair.label && each.link == pair.link;
    });
    if (group == groups.end()) group = groups.insert(group, {pair.label, pair.link, {}, {}});
    std::copy_if(pair.base.begin(), pair.base.end(), std::back_inserter(group->base), is_usable);
    std::copy_if(pair.next.begin(), pair.next.end(), std::back_inserter(group->next), is_usable);
  }
  std::erase_if(groups, [](const Group& each) { return each.base.empty() || each.next.empty(); });
  return groups;
}

double step_s(const std::vector<RecordedCell>& cells) {
  std::vector<double> steps;
  for (const auto& cell : cells) steps.push_back(step_time_s(*cell.numbers));
  return statistics::median(steps);
}

bool is_cpu_bound(const std::vector<RecordedCell>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const RecordedCell& cell) {
    return cell.numbers->host_verdict.word == "cpu-bound";
  });
}

const Group* yardstick_of(const std::vector<Group>& groups, const std::string& link) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& each) {
    return each.label == kYardstick && each.link == link;
  });
  return found == groups.end() ? nullptr : &*found;
}

std::string step_note(const Group& group, const Group& yardstick) {
  for (const auto* each : {&group, &yardstick}) {
    for (const auto* side : {&each->base, &each->next}) {
      if (is_cpu_bound(*side)) return each->label + " is cpu-bound on at least one side";
    }
  }
  return "";
}

/// The median of the iterations to a target over the cells that reached it; absent when half of all
/// cells or more did not.
std::optional<double> iterations_to(const Target& target, const std::vector<RecordedCell>& cells) {
  std::vector<double> found;
  for (const auto& cell : cells) {
    for (const auto& each : cell.numbers->targets) {
      if (each.target == target && each.iterations) {
        found.push_back(static_cast<double>(*each.iterations));
      }
    }
  }
  if (2 * found.size() <= cells.size()) return std::nullopt;
  return statistics::median(found);
}

bool all_looked_for(const Target& target, const std::vector<RecordedCell>& cells) {
  return std::all_of(cells.begin(), cells.end(), [&](const auto& cell) {
    const auto& targets = cell.numbers->targets;
    return std::any_of(targets.begin(), targets.end(),
                       [&](const TargetResult& each) { return each.target == target; });
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

}  // namespace

std::vector<CarriedRow> carried_rows(const std::vector<CellPair>& pairs) {
  const auto groups = groups_of(pairs);
  std::vector<CarriedRow> rows;
  for (const auto& group : groups) {
    const auto* yardstick = yardstick_of(groups, group.link);
    if (yardstick != nullptr && yardstick != &group && step_s(group.base) > 0) {
      rows.push_back({group.label, group.link, "step / all-reduce's",
                      step_s(group.base) / step_s(yardstick->base),
                      step_s(group.next) / step_s(yardstick->next), step_note(group, *yardstick)});
    }
    add_iterations(group, rows);
  }
  return rows;
}

}  // namespace pacbench::compare
