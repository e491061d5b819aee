#include "analysis/compare/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/compare/curve_check.h"
#include "harness/statistics/spread.h"
#include "harness/text/table.h"

namespace pacbench::compare {
namespace {

using Found = GateCheck::Found;
using RecordedCells = std::vector<RecordedCell>;

RecordedCells done(const RecordedCells& cells) {
  RecordedCells kept;
  for (const auto& cell : cells) {
    if (cell.numbers->status == CellStatus::kDone) kept.push_back(cell);
  }
  return kept;
}

GateCheck check_of(const CellPair& pair, std::string quantity) {
  return {pair.label, pair.link, pair.seed, std::move(quantity), "", "", Found::kEqual, ""};
}

std::string change(double base, double next) {
  return base == 0 ? "was 0 in base" : fmt::format("{:+.2f} %", 100 * (next / base - 1));
}

/// Says how many of the cells are done, and why the first cell that is not done ended.
std::string ends(const RecordedCells& cells) {
  const auto whole = done(cells).size();
  auto text = fmt::format("{} of {} done", whole, cells.size());
  for (const auto& cell : cells) {
    if (cell.numbers->status == CellStatus::kDone) continue;
    return text + fmt::format(", {}: {}", word_of(cell.numbers->status), cell.numbers->reason);
  }
  return text;
}

/// Checks that both sides have this cell and finished it. A cell that every new run finished
/// passes, even if a base run did not finish it. A cell that only new runs have is kNotAsked, one
/// that only base runs have is kUnstable.
GateCheck check_end(const CellPair& pair) {
  auto check = check_of(pair, "end");
  check.base = ends(pair.base);
  check.next = ends(pair.next);
  const auto base_done = done(pair.base).size();
  const auto next_done = done(pair.next).size();
  if (pair.base.empty() || pair.next.empty()) {
    check.found = pair.base.empty() ? Found::kNotAsked : Found::kUnstable;
    check.words = pair.base.empty() ? "only in the new runs" : "only in the base runs";
  } else if (base_done == pair.base.size() && next_done < pair.next.size()) {
    check.found = Found::kBroken;
    check.words = "every base run finished this cell, but not every new run";
  } else if (base_done < pair.base.size() && next_done < pair.next.size()) {
    check.found = Found::kUnstable;
    check.words = "some run of each side did not finish this cell";
  }
  return check;
}

struct Quantity {
  const char* words;
  std::optional<double> (*of)(const CellResult&);
};

const Quantity kExact[] = {
    {"payload bytes per iteration",
     [](const CellResult& cell) { return std::optional{cell.payload_bytes_per_iteration}; }},
    {"collectives per iteration",
     [](const CellResult& cell) { return cell.collectives_per_iteration; }},
    {"expected bytes per iteration",
     [](const CellResult& cell) { return std::optional{cell.expected_bytes_per_iteration}; }},
};

/// The first cell whose quantity is not `value`; null when there is none.
const RecordedCell* odd_one(const RecordedCells& cells, const Quantity& quantity,
                            std::optional<double> value) {
  for (const auto& cell : cells) {
    if (quantity.of(*cell.numbers) != value) return &cell;
  }
  return nullptr;
}

/// The largest minus the smallest value of a quantity among the done base cells of one method over
/// one link, of all seeds. It is 0 where message sizes are fixed, and usually more where they
/// depend on gradients.
double spread_of(const std::vector<CellPair>& pairs, const CellPair& of, const Quantity& quantity) {
  std::optional<double> low;
  std::optional<double> high;
  for (const auto& pair : pairs) {
    if (pair.label != of.label || pair.link != of.link) continue;
    for (const auto& cell : done(pair.base)) {
      const auto value = quantity.of(*cell.numbers);
      if (!value) continue;
      low = std::min(low.value_or(*value), *value);
      high = std::max(high.value_or(*value), *value);
    }
  }
  return low ? *high - *low : 0;
}

GateCheck check_exact(const std::vector<CellPair>& pairs, const CellPair& pair,
                      const RecordedCells& base, const RecordedCells& next,
                      const Quantity& quantity) {
  auto check = check_of(pair, quantity.words);
  const auto expected = quantity.of(*base.front().numbers);
  if (odd_one(base, quantity, expected) != nullptr) {
    check.found = Found::kUnstable;
    check.words = "the base runs differ among themselves";
    return check;
  }
  const auto* odd = odd_one(next, quantity, expected);
  const auto found = quantity.of(odd != nullptr ? *odd->numbers : *next.front().numbers);
  if (!expected || !found) {
    check.found = Found::kNotAsked;
    check.words =
        expected || found
            ? "one side was made by an earlier pacbench, which did not count this"
            : "neither side counted this: a program of the user's own, or an earlier pacbench";
    return check;
  }
  check.base = fmt::format("{}", *expected);
  check.next = fmt::format("{}", *found);
  if (odd == nullptr) return check;
  check.found = Found::kBroken;
  check.words = change(*expected, *found);
  const auto why = why_no_bits(base, next);
  if (why.empty() || std::abs(*found - *expected) > spread_of(pairs, pair, quantity)) return check;
  check.found = Found::kNotAsked;
  check.words +=
      ", no more than the base's seeds differ among themselves: message sizes follow gradients, "
      "which need not be equal here: " +
      why;
  return check;
}

std::vector<double> wire_bytes(const RecordedCells& cells) {
  std::vector<double> values;
  for (const auto& cell : cells) {
    if (cell.numbers->link_verdict.word != "ok") continue;
    values.push_back(cell.numbers->measured_bytes_per_iteration);
  }
  return values;
}

GateCheck check_wire(const CellPair& pair, const RecordedCells& base, const RecordedCells& next) {
  auto check = check_of(pair, "measured bytes per iteration");
  const auto base_bytes = wire_bytes(base);
  const auto next_bytes = wire_bytes(next);
  if (base_bytes.empty() || next_bytes.empty()) {
    check.found = Found::kUnstable;
    check.words = "on at least one side, the links of all cells are suspect";
    return check;
  }
  const auto one = statistics::median(base_bytes);
  const auto other = statistics::median(next_bytes);
  check.base = significant(one, 6);
  check.next = significant(other, 6);
  if (std::abs(other - one) <= kWireTolerance * one) return check;
  check.found = Found::kBroken;
  check.words = change(one, other);
  return check;
}

}  // namespace

std::vector<GateCheck> check_gate(const std::vector<CellPair>& pairs,
                                  const std::set<std::string>& by_time) {
  std::vector<GateCheck> checks;
  for (const auto& pair : pairs) {
    checks.push_back(check_end(pair));
    const auto base = done(pair.base);
    const auto next = done(pair.next);
    if (base.empty() || next.empty()) continue;
    if (by_time.contains(pair.label)) {
      checks.push_back(check_of(pair, "bytes, collectives and learning curve"));
      checks.back().found = Found::kNotAsked;
      checks.back().words = "the method decides by measured times, so runs may differ";
      continue;
    }
    for (const auto& quantity : kExact) {
      checks.push_back(check_exact(pairs, pair, base, next, quantity));
    }
    checks.push_back(check_of(pair, "learning curve"));
    check_curve(base, next, checks.back());
    if (has_network(base.front().run->result)) checks.push_back(check_wire(pair, base, next));
  }
  return checks;
}

std::set<std::string> labels_by_time(const Json& scenario, const Catalogue& catalogue) {
  std::set<std::string> labels;
  for (const auto& entry : scenario.at("methods")) {
    const auto* method = catalogue.find_method(entry.at("name"));
    if (method == nullptr) continue;  // a user's own program, or a method of another version
    if (traits_of(*method, entry, catalogue.methods).depends_on_time) {
      labels.insert(entry.at("label"));
    }
  }
  return labels;
}

}  // namespace pacbench::compare
