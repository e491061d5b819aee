#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/compare/comparison.h"
#include "harness/statistics/spread.h"
#include "harness/text/table.h"

namespace pacbench::compare {
namespace {

constexpr const char* kGateTitle = "Deterministic gate";
constexpr const char* kTimesTitle = "Times";
constexpr const char* kCarriedTitle =
    "The machines differ, so seconds are not compared. The gate compares bytes, and curves where "
    "it can. These numbers can be compared too, except where a note says why they may differ";

/// The median: in milliseconds for times of an iteration, in seconds for times to a target. "DNF"
/// when it is infinite, "—" without values.
std::string time_words(const TimedRow& row, const std::vector<double>& values) {
  if (values.empty()) return "—";
  const auto middle = statistics::median(values);
  if (!std::isfinite(middle)) return "DNF";
  return row.target ? significant(middle, 4) + " s" : significant(1e3 * middle, 4) + " ms";
}

std::string change_words(double ratio) {
  if (!std::isfinite(ratio)) return "never";
  return fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

/// The checks of the gate that are broken or inconclusive.
Table gate_table(const Comparison& comparison) {
  Table table{
      {left_column("method"), left_column("link"), right_column("seed"), left_column("quantity"),
       right_column("base"), right_column("new"), left_column("verdict"), left_column("why")},
      {}};
  for (const auto& check : comparison.gate) {
    const auto found = check.found;
    if (found == GateCheck::Found::kEqual || found == GateCheck::Found::kNotAsked) continue;
    table.rows.push_back({check.label, check.link, fmt::to_string(check.seed), check.quantity,
                          check.base.empty() ? "—" : check.base,
                          check.next.empty() ? "—" : check.next, word_of(found), check.words});
  }
  return table;
}

/// One row for each time whose verdict is not kUntested.
Table times_table(const Comparison& comparison) {
  Table table{{left_column("method"), left_column("link"), left_column("time"),
               right_column("base"), right_column("new"), right_column("change"),
               right_column("95 % interval"), right_column("runs"), right_column("p (Holm)"),
               left_column("verdict"), left_column("notes")},
              {}};
  for (const auto& row : comparison.rows) {
    if (row.verdict == TimedRow::Verdict::kUntested) continue;
    const auto base = statistics::together(row.seconds, &statistics::Stratum::base);
    const auto next = statistics::together(row.seconds, &statistics::Stratum::next);
    std::string time = row.metric == "encode_s" ? "encode" : "iteration";
    if (row.target) time = "to " + words_of(*row.target);
    std::string change = "—", interval = "—", p = "—";
    if (can_be_tested(row)) {
      change = change_words(row.ratio.value);
      interval = fmt::format("{} to {}", change_words(row.ratio.low), change_words(row.ratio.high));
      p = row.p_holm < 1e-4 ? "< 0.0001" : significant(row.p_holm, 2);
    }
    auto notes = row.notes;
    if (row.runs_needed) notes.push_back(fmt::format("needs {} values a side", *row.runs_needed));
    table.rows.push_back({row.label, row.link, time, time_words(row, base), time_words(row, next),
                          change, interval, fmt::format("{}/{}", base.size(), next.size()), p,
                          word_of(row.verdict), fmt::format("{}", fmt::join(notes, "; "))});
  }
  return table;
}

/// One row for each number that is compared in place of times, where the machines differ.
Table carried_table(const Comparison& comparison) {
  Table table{
      {left_column("method"), left_column("link"), left_column("number"), right_column("base"),
       right_column("new"), right_column("change"), left_column("notes")},
      {}};
  const auto shown = [](const std::optional<double>& value) {
    return value ? significant(*value) : std::string{"DNF"};
  };
  for (const auto& row : comparison.carried) {
    table.rows.push_back({row.label, row.link, row.quantity, shown(row.base), shown(row.next),
                          row.base && row.next ? change_words(*row.next / *row.base) : "—",
                          row.note});
  }
  return table;
}

std::string side_line(const char* name, const SideSummary& side) {
  return fmt::format("{}: {} run{} of commit {}", name, side.folders.size(),
                     side.folders.size() == 1 ? "" : "s", fmt::join(side.commits, ", "));
}

auto count(const Comparison& comparison, GateCheck::Found found) {
  return std::ranges::count(comparison.gate, found, &GateCheck::found);
}

auto count(const Comparison& comparison, TimedRow::Verdict verdict) {
  return std::ranges::count(comparison.rows, verdict, &TimedRow::verdict);
}

/// Says how many values each side needs for the inconclusive rows to be decided.
std::string runs_line(const Comparison& comparison) {
  std::size_t most = 0;
  bool is_open = false;
  bool is_spread_known = true;
  for (const auto& row : comparison.rows) {
    const bool is_known = row.p_holm < comparison.options.alpha;
    if (row.verdict != TimedRow::Verdict::kInconclusive || row.seconds.empty() || is_known)
      continue;
    is_open = is_open || !row.runs_needed;
    is_spread_known = is_spread_known && row.spread;
    most = std::max(most, row.runs_needed.value_or(0));
  }
  const auto why =
      "inconclusive: with this spread, neither a regression nor its absence can be shown";
  if (is_open) {
    return fmt::format(
        "{}; even 200 values on each side (runs × seeds) would not suffice: make the machine "
        "quieter, or raise --threshold (for encode times --encode-threshold)",
        why);
  }
  if (most == 0) return "inconclusive: the notes of the rows say why";
  if (!is_spread_known) {
    return fmt::format(
        "inconclusive: a verdict needs at least {} values on each side (runs × seeds)", most);
  }
  return fmt::format(
      "{}; about {} values on each side (runs × seeds) would suffice in {:g} % of comparisons", why,
      most, 100 * kPower);
}

/// The two sides: scenario, machine, runs and commits.
std::vector<std::string> heading_lines(const Comparison& comparison) {
  return {fmt::format("{} (mode {}) on {}", comparison.scenario, word_of(comparison.mode),
                      comparison.machine),
          side_line("base", comparison.base), side_line("new", comparison.next)};
}

/// The outcome of the gate, and the checks that it left out, with the reasons.
std::vector<std::string> gate_lines(const Comparison& comparison) {
  std::vector<std::string> lines{fmt::format(
      "{} checks: {} hold, {} broken, {} inconclusive, {} not asked. Payload, collectives, "
      "expected bytes and learning curves must be equal; wire bytes may differ by at most {:g} %",
      comparison.gate.size(), count(comparison, GateCheck::Found::kEqual),
      count(comparison, GateCheck::Found::kBroken), count(comparison, GateCheck::Found::kUnstable),
      count(comparison, GateCheck::Found::kNotAsked), 100 * kWireTolerance)};
  std::map<std::string, std::size_t> left_out;
  for (const auto& check : comparison.gate) {
    if (check.found == GateCheck::Found::kNotAsked) {
      ++left_out[check.quantity + ": " + check.words];
    }
  }
  for (const auto& [words, cells] : left_out) {
    lines.push_back(fmt::format("not asked of {} cells: {}", cells, words));
  }
  return lines;
}

/// Says how the times were tested, and what was left out.
std::vector<std::string> times_lines(const Comparison& comparison) {
  const auto& options = comparison.options;
  std::vector<std::string> lines{fmt::format(
      "Times are medians · change: Hodges-Lehmann ratio of new to base, with a bootstrap interval "
      "· p: Mann-Whitney test stratified by seed (van Elteren), exact up to about 59 values a side "
      "of one seed, adjusted for {} tests by Holm's procedure · regressed, improved: p < {:g} and "
      "a change of at least {:g} % (encode: {:g} %) · unchanged: a one-sided test "
      "excludes a slow-down of this size (p < {:g} %)",
      std::ranges::count_if(comparison.rows, can_be_tested), options.alpha, 100 * options.threshold,
      100 * options.encode_threshold, 100 * kMissed)};
  std::map<std::string, std::vector<std::string>> left_out;
  for (const auto& row : comparison.rows) {
    if (row.verdict != TimedRow::Verdict::kUntested) continue;
    const auto what = row.target ? "time to " + words_of(*row.target) : row.metric;
    left_out[row.notes.front()].push_back(fmt::format("{} of {} on {}", what, row.label, row.link));
  }
  for (const auto& [why, what] : left_out) {
    lines.push_back(fmt::format("{}: {}", why, fmt::join(what, ", ")));
  }
  return lines;
}

/// The outcome, with what led to it, and what to do.
std::vector<std::string> verdict_lines(const Comparison& comparison) {
  const auto broken = count(comparison, GateCheck::Found::kBroken);
  const auto open = count(comparison, TimedRow::Verdict::kInconclusive);
  std::vector<std::string> lines{fmt::format(
      "{}: {} broken checks; times: {} regressed, {} improved, {} inconclusive, {} unchanged",
      word_of(comparison.outcome), broken, count(comparison, TimedRow::Verdict::kRegressed),
      count(comparison, TimedRow::Verdict::kImproved), open,
      count(comparison, TimedRow::Verdict::kUnchanged))};
  if (broken > 0) {
    lines.emplace_back(
        "A check is broken where not every new run finished a cell that every base run finished, "
        "or where what is computed or sent has changed. Speed breaks no check. If the change is "
        "intended, record a new base");
  }
  if (open > 0) lines.push_back(runs_line(comparison));
  for (const auto& [folder, difference] : comparison.machines) {
    lines.push_back(fmt::format(
        "{}: {}: found {}, expected {} as in the first base run: times of different machines are "
        "not compared; run both sides on one machine",
        folder, difference.pointer, difference.found, difference.expected));
  }
  return lines;
}

/// Each line with its end.
std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace

std::string render_text(const Comparison& comparison, std::size_t columns) {
  auto text = fmt::format("{}\n{}\n{}", joined(heading_lines(comparison)), kGateTitle,
                          joined(gate_lines(comparison)));
  if (const auto table = gate_table(comparison); !table.rows.empty()) {
    text += to_text(table, columns);
  }
  if (!comparison.rows.empty()) {
    text += fmt::format("\n{}\n{}{}", kTimesTitle, to_text(times_table(comparison), columns),
                        joined(times_lines(comparison)));
  }
  if (!comparison.carried.empty()) {
    text += fmt::format("\n{}\n{}", kCarriedTitle, to_text(carried_table(comparison), columns));
  }
  return text + '\n' + joined(verdict_lines(comparison));
}

std::string render_markdown(const Comparison& comparison) {
  auto text = fmt::format("## pacbench: {}\n\n- {}\n\n### {}\n\n{}\n",
                          fmt::join(verdict_lines(comparison), "\n\n"),
                          fmt::join(heading_lines(comparison), "\n- "), kGateTitle,
                          fmt::join(gate_lines(comparison), "\n\n"));
  if (const auto table = gate_table(comparison); !table.rows.empty()) {
    text += '\n' + to_markdown(table);
  }
  if (!comparison.carried.empty()) {
    text += fmt::format("\n### Between two machines\n\n{}.\n\n{}", kCarriedTitle,
                        to_markdown(carried_table(comparison)));
  }
  if (comparison.rows.empty()) return text;
  text += fmt::format("\n### {}\n\n{}\n", kTimesTitle, to_markdown(times_table(comparison)));
  for (const auto& line : times_lines(comparison)) text += fmt::format("{}\n\n", line);
  return text;
}

}  // namespace pacbench::compare
