#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/compare/tables.h"

namespace pacbench::compare {
namespace {

std::string side_line(const char* name, const SideSummary& side) {
  return fmt::format("{}: {} run{} of commit {}", name, side.folders.size(),
                     side.folders.size() == 1 ? "" : "s", fmt::join(side.commits, ", "));
}

std::size_t count(const std::vector<GateCheck>& gate, GateCheck::Found found) {
  return static_cast<std::size_t>(std::count_if(
      gate.begin(), gate.end(), [&](const GateCheck& check) { return check.found == found; }));
}

std::size_t count(const std::vector<TimedRow>& rows, TimedRow::Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const TimedRow& row) { return row.verdict == verdict; }));
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

std::string machine_line(const Mismatch& mismatch) {
  return fmt::format(
      "{}: {}: found {}, expected {} as in the first base run: times of different machines are not "
      "compared; run both sides on one machine",
      mismatch.folder, mismatch.difference.pointer, mismatch.difference.found,
      mismatch.difference.expected);
}

}  // namespace

std::vector<std::string> heading_lines(const Comparison& comparison) {
  return {fmt::format("{} (mode {}) on {}", comparison.scenario, word_of(comparison.mode),
                      comparison.machine),
          side_line("base", comparison.base), side_line("new", comparison.next)};
}

std::vector<std::string> gate_lines(const Comparison& comparison) {
  const auto& gate = comparison.gate;
  std::vector<std::string> lines{fmt::format(
      "{} checks: {} hold, {} broken, {} inconclusive, {} not asked. Payload, collectives, "
      "expected bytes and learning curves must be equal; wire bytes may differ by at most {:g} %",
      gate.size(), count(gate, GateCheck::Found::kEqual), count(gate, GateCheck::Found::kBroken),
      count(gate, GateCheck::Found::kUnstable), count(gate, GateCheck::Found::kNotAsked),
      100 * kWireTolerance)};
  std::map<std::string, std::size_t> left_out;
  for (const auto& check : gate) {
    if (check.found == GateCheck::Found::kNotAsked) {
      ++left_out[check.quantity + ": " + check.words];
    }
  }
  for (const auto& [words, cells] : left_out) {
    lines.push_back(fmt::format("not asked of {} cells: {}", cells, words));
  }
  return lines;
}

std::vector<std::string> times_lines(const Comparison& comparison) {
  const auto tests =
      std::count_if(comparison.rows.begin(), comparison.rows.end(), [](const auto& row) {
        return row.verdict != TimedRow::Verdict::kUntested && !row.seconds.empty();
      });
  const auto& options = comparison.options;
  std::vector<std::string> lines{fmt::format(
      "Times are medians · change: Hodges-Lehmann ratio of new to base, with a bootstrap interval "
      "· p: Mann-Whitney test stratified by seed (van Elteren), exact up to about 59 values a side "
      "of one seed, adjusted for {} tests by Holm's procedure · regressed, improved: p < {:g} and "
      "a change of at least {:g} % (encode: {:g} %) · unchanged: a one-sided test "
      "excludes a slow-down of this size (p < {:g} %)",
      tests, options.alpha, 100 * options.threshold, 100 * options.encode_threshold,
      100 * kMissed)};
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

std::vector<std::string> verdict_lines(const Comparison& comparison) {
  const auto broken = count(comparison.gate, GateCheck::Found::kBroken);
  const auto regressed = count(comparison.rows, TimedRow::Verdict::kRegressed);
  const auto improved = count(comparison.rows, TimedRow::Verdict::kImproved);
  const auto open = count(comparison.rows, TimedRow::Verdict::kInconclusive);
  std::vector<std::string> lines{fmt::format(
      "{}: {} broken checks; times: {} regressed, {} improved, {} inconclusive, {} unchanged",
      word_of(comparison.outcome), broken, regressed, improved, open,
      count(comparison.rows, TimedRow::Verdict::kUnchanged))};
  if (broken > 0) {
    lines.emplace_back(
        "A check is broken where not every new run finished a cell that every base run finished, "
        "or where what is computed or sent has changed. Speed breaks no check. If the change is "
        "intended, record a new base");
  }
  if (open > 0) lines.push_back(runs_line(comparison));
  for (const auto& mismatch : comparison.machines) lines.push_back(machine_line(mismatch));
  return lines;
}

}  // namespace pacbench::compare
