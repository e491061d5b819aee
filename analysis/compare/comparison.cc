#include "analysis/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>

namespace pacbench::compare {
namespace {

SideSummary summarise(const std::vector<ComparedRun>& runs) {
  SideSummary side;
  for (const auto& run : runs) {
    side.folders.push_back(run.folder);
    const auto known = std::find(side.commits.begin(), side.commits.end(), run.manifest.git_commit);
    if (known == side.commits.end()) side.commits.push_back(run.manifest.git_commit);
  }
  return side;
}

Outcome outcome_of(const Comparison& comparison) {
  const auto gate = [&](GateCheck::Found found) {
    return std::any_of(comparison.gate.begin(), comparison.gate.end(),
                       [&](const GateCheck& check) { return check.found == found; });
  };
  const auto row = [&](TimedRow::Verdict verdict) {
    return std::any_of(comparison.rows.begin(), comparison.rows.end(),
                       [&](const TimedRow& one) { return one.verdict == verdict; });
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
    if (comparison.machines.empty()) comparison.rows = timed_rows(pairs, options);
    if (!comparison.machines.empty()) comparison.carried = carried_rows(pairs);
    test_rows(comparison.rows, options.alpha);
  }
  comparison.outcome = outcome_of(comparison);
  return comparison;
}

}  // namespace pacbench::compare
