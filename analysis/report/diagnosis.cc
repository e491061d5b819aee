#include "analysis/report/diagnosis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "analysis/report/diagnosis_rules.h"
#include "contract/catalogue/program_method.h"
#include "harness/text/table.h"

namespace pacbench::report {
namespace {

/// Pairs `row` with a baseline at the last target that any comparable baseline reached. Of two
/// baselines it takes the one that reached this target first. Nothing when no baseline reached any.
std::optional<Contest> contest_of(const std::vector<ReportRow>& rows, const ReportRow& row,
                                  int workers) {
  for (auto target = row.targets.size(); target-- > 0;) {
    const ReportRow* better = nullptr;
    for (const char* method : {"all-reduce", "fp16"}) {
      const auto* candidate = first_of(rows, method);
      if (candidate == nullptr || candidate == &row || !comparable(*candidate, row)) continue;
      if (candidate->step_is_other) continue;
      const auto& time = candidate->targets[target].tta_s.median;
      if (!time) continue;
      if (better == nullptr || *time < *better->targets[target].tta_s.median) better = candidate;
    }
    if (better != nullptr) return Contest{row, *better, target, workers};
  }
  return std::nullopt;
}

std::optional<Diagnosis> diagnose(const Contest& contest) {
  const auto& tta_s = contest.target().tta_s.median;
  const auto& base_tta_s = contest.base_target().tta_s.median;
  if (tta_s && *tta_s <= *base_tta_s) return std::nullopt;
  Diagnosis diagnosis;
  diagnosis.against = contest.base.label;
  diagnosis.target = contest.target().target;
  if (tta_s) diagnosis.tta_ratio = *tta_s / *base_tta_s;
  diagnosis.step_ratio = contest.step_ratio();
  diagnosis.iterations_ratio = contest.iterations_ratio();
  diagnosis.causes = causes_of(contest);
  return diagnosis;
}

}  // namespace

void add_diagnoses(std::vector<ReportRow>& rows, int workers) {
  for (auto& row : rows) {
    // The rules need times and bytes that a program of the user's own does not tell.
    if (row.method == "all-reduce" || row.method == kProgramMethod) continue;
    if (row.step_is_other) continue;
    if (const auto contest = contest_of(rows, row, workers)) row.diagnosis = diagnose(*contest);
  }
}

std::string diagnosis_words(const Diagnosis& diagnosis) {
  const auto target = words_of(diagnosis.target);
  auto words = diagnosis.tta_ratio
                   ? fmt::format("{} times the TTA of {} to {}", significant(*diagnosis.tta_ratio),
                                 diagnosis.against, target)
                   : fmt::format("DNF at {}, which {} reaches", target, diagnosis.against);
  words += fmt::format(" ({} × the time per iteration", significant(diagnosis.step_ratio));
  if (diagnosis.iterations_ratio) {
    words += fmt::format(", {} × the iterations", significant(*diagnosis.iterations_ratio));
  }
  std::vector<std::string> causes;
  for (const auto& cause : diagnosis.causes) {
    causes.push_back(fmt::format("{}: {}", cause.kind, cause.words));
  }
  if (causes.empty())
    causes.emplace_back(
        "no rule finds a cause; look at an iteration's timeline (pacbench export --to perfetto)");
  return fmt::format("{}); {}", words, fmt::join(causes, "; "));
}

}  // namespace pacbench::report
