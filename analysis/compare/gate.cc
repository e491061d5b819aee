#include "analysis/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "contract/catalogue/method_entry.h"
#include "harness/statistics/spread.h"
#include "harness/text/table.h"

namespace pacbench::compare {
namespace {

using Found = GateCheck::Found;
using RecordedCells = std::vector<RecordedCell>;

bool is_done(const RecordedCell& cell) { return cell.numbers->status == CellStatus::kDone; }

RecordedCells done(const RecordedCells& cells) {
  RecordedCells kept;
  std::ranges::copy_if(cells, std::back_inserter(kept), is_done);
  return kept;
}

GateCheck check_of(const CellPair& pair, std::string quantity) {
  return {pair.label, pair.link, pair.seed, std::move(quantity), "", "", Found::kEqual, ""};
}

GateCheck with(GateCheck check, Found found, std::string words) {
  check.found = found;
  check.words = std::move(words);
  return check;
}

std::string change(double base, double next) {
  return base == 0 ? "was 0 in base" : fmt::format("{:+.2f} %", 100 * (next / base - 1));
}

/// Says how many of the cells are done, and why the first cell that is not done ended.
std::string ends(const RecordedCells& cells) {
  auto text = fmt::format("{} of {} done", std::ranges::count_if(cells, is_done), cells.size());
  const auto odd = std::ranges::find_if_not(cells, is_done);
  if (odd == cells.end()) return text;
  return fmt::format("{}, {}: {}", text, word_of(odd->numbers->status), odd->numbers->reason);
}

/// Checks that both sides have this cell and finished it. A cell that every new run finished
/// passes, even if a base run did not finish it. A cell that only new runs have is kNotAsked, one
/// that only base runs have is kUnstable.
GateCheck check_end(const CellPair& pair) {
  auto check = check_of(pair, "end");
  check.base = ends(pair.base);
  check.next = ends(pair.next);
  if (pair.base.empty()) return with(check, Found::kNotAsked, "only in the new runs");
  if (pair.next.empty()) return with(check, Found::kUnstable, "only in the base runs");
  if (std::ranges::all_of(pair.next, is_done)) return check;
  if (std::ranges::all_of(pair.base, is_done)) {
    return with(check, Found::kBroken, "every base run finished this cell, but not every new run");
  }
  return with(check, Found::kUnstable, "some run of each side did not finish this cell");
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
  const auto is_odd = [&](const RecordedCell& cell) {
    return quantity.of(*cell.numbers) != expected;
  };
  if (std::ranges::any_of(base, is_odd)) {
    return with(check, Found::kUnstable, "the base runs differ among themselves");
  }
  const auto odd = std::ranges::find_if(next, is_odd);
  const bool is_equal = odd == next.end();
  const auto found = quantity.of(is_equal ? *next.front().numbers : *odd->numbers);
  if (!expected || !found) {
    return with(check, Found::kNotAsked,
                expected || found
                    ? "one side was made by an earlier pacbench, which did not count this"
                    : "neither side counted this: a program of the user's own, or an earlier "
                      "pacbench");
  }
  check.base = fmt::format("{}", *expected);
  check.next = fmt::format("{}", *found);
  if (is_equal) return check;
  const auto by = change(*expected, *found);
  const auto why = why_no_bits(base, next);
  if (why.empty() || std::abs(*found - *expected) > spread_of(pairs, pair, quantity)) {
    return with(check, Found::kBroken, by);
  }
  return with(check, Found::kNotAsked,
              by +
                  ", no more than the base's seeds differ among themselves: message sizes follow "
                  "gradients, which need not be equal here: " +
                  why);
}

/// Returns why the bits of two curves may differ: floats may have been added in another order.
/// Empty when the bits must be equal.
std::string why_no_bits_between(const ComparedRun& one, const ComparedRun& other) {
  if (one.result.scenario.value("device", "cpu") != "cpu") return "these runs computed on GPUs";
  if (one.machine().cpu != other.machine().cpu)
    return fmt::format("CPU {} and {}", one.machine().cpu, other.machine().cpu);
  if (one.machine().cores != other.machine().cores)
    return fmt::format("{} and {} cores", one.machine().cores, other.machine().cores);
  if (one.manifest.torch_version != other.manifest.torch_version) {
    return fmt::format("torch {} and {}", one.manifest.torch_version, other.manifest.torch_version);
  }
  return "";
}

std::string words_of(const EvaluationEvent& evaluation) {
  if (!evaluation.accuracy) return fmt::format("loss {}", evaluation.loss);
  return fmt::format("accuracy {} and loss {}", *evaluation.accuracy, evaluation.loss);
}

/// Says at which evaluation `found` first differs from `expected`, or that their lengths differ;
/// empty when the curves are equal.
std::string curve_difference(const std::vector<EvaluationEvent>& found,
                             const std::vector<EvaluationEvent>& expected) {
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    const auto& one = expected[i];
    const auto& other = found[i];
    if (one.iteration != other.iteration) {
      return fmt::format("evaluation {} is after iteration {}, expected after iteration {}", i + 1,
                         other.iteration, one.iteration);
    }
    if (one.accuracy == other.accuracy && one.loss == other.loss) continue;
    return fmt::format("after iteration {}: {}, expected {}", one.iteration, words_of(other),
                       words_of(one));
  }
  if (found.size() == expected.size()) return "";
  return fmt::format("found {} evaluations, expected {}", found.size(), expected.size());
}

bool is_program(const RecordedCell& cell) {
  const auto& methods = cell.run->result.scenario.at("methods");
  return std::any_of(methods.begin(), methods.end(), [&](const Json& method) {
    return method.at("label") == cell.numbers->label && method.at("name") == kProgramMethod;
  });
}

/// Another base cell that differs from the first makes the check kUnstable, a new cell that differs
/// makes it kBroken.
GateCheck check_curve(const CellPair& pair, const RecordedCells& base, const RecordedCells& next) {
  const auto check = check_of(pair, "learning curve");
  if (const auto why = why_no_bits(base, next); !why.empty()) {
    return with(check, Found::kNotAsked,
                "curves must be equal to the bit only on the CPU, with the same CPU model, number "
                "of cores and torch version; here: " +
                    why);
  }
  for (const auto* side : {&base, &next}) {
    for (const auto& cell : *side) {
      const auto difference = curve_difference(*cell.curve, *base.front().curve);
      if (difference.empty()) continue;
      if (side == &next && base.size() == 1 && is_program(cell)) {
        return with(
            check, Found::kUnstable,
            fmt::format("the curves of this program differ from run to run, and one base run does "
                        "not show whether its seed decides them; give two base runs, which must "
                        "agree for a difference to count ({})",
                        difference));
      }
      return with(check, side == &base ? Found::kUnstable : Found::kBroken,
                  fmt::format("the curve of {} is not that of the first base run: {}",
                              cell.run->folder, difference));
    }
  }
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
    return with(check, Found::kUnstable,
                "on at least one side, the links of all cells are suspect");
  }
  const auto one = statistics::median(base_bytes);
  const auto other = statistics::median(next_bytes);
  check.base = significant(one, 6);
  check.next = significant(other, 6);
  if (std::abs(other - one) <= kWireTolerance * one) return check;
  return with(check, Found::kBroken, change(one, other));
}

}  // namespace

std::string why_no_bits(const RecordedCells& base, const RecordedCells& next) {
  for (const auto* side : {&base, &next}) {
    for (const auto& cell : *side) {
      auto why = why_no_bits_between(*base.front().run, *cell.run);
      if (!why.empty()) return why;
    }
  }
  return "";
}

std::vector<GateCheck> check_gate(const std::vector<CellPair>& pairs,
                                  const std::set<std::string>& by_time) {
  std::vector<GateCheck> checks;
  for (const auto& pair : pairs) {
    checks.push_back(check_end(pair));
    const auto base = done(pair.base);
    const auto next = done(pair.next);
    if (base.empty() || next.empty()) continue;
    if (by_time.contains(pair.label)) {
      checks.push_back(with(check_of(pair, "bytes, collectives and learning curve"),
                            Found::kNotAsked,
                            "the method decides by measured times, so runs may differ"));
      continue;
    }
    for (const auto& quantity : kExact) {
      checks.push_back(check_exact(pairs, pair, base, next, quantity));
    }
    checks.push_back(check_curve(pair, base, next));
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
