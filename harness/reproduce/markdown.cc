#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/markdown_text.h"
#include "harness/reproduce/parts.h"
#include "harness/reproduce/reproduction.h"
#include "harness/reproduce/words.h"
#include "harness/table.h"

namespace pacbench::reproduce {
namespace {

constexpr const char* kVerdicts =
    "- **reproduced**: the paper's number lies in our 95 % interval or within 20 % of ours (the "
    "larger is at most 1.2 times the smaller); a bound holds in every setting of the claim, "
    "without "
    "slack.\n"
    "- **better than claimed**: ours exceeds a number that the paper gives for one setting, or as "
    "its best.\n"
    "- **contradicted**: it does not, where measured; or it could not at equal iterations, where "
    "there is no learning curve.\n"
    "- **not testable here**: too little was measured, without a curve, or elsewhere.\n\n"
    "Only arms that the paper may have meant, its networks, data sets, rates, topology and "
    "pre-trained start, whole runs and links as declared decide; everything else stands in "
    "brackets. "
    "Formulas: docs/METRICS.md.\n";

constexpr const char* kStepsLegend =
    "\nMedian time per iteration, and how many times as fast as all-reduce over the same link; "
    "beside it Table 1's columns without times: compatible with all-reduce (the bytes counted on a "
    "worker's link are at most twice those of a ring all-reduce of what it hands over; in brackets "
    "how many times as many, the most of all links), "
    "lossless and stateless as docs/METHODS.md has them. "
    "† a link was not what was declared: no speed-up, for or against · ‡ computing on this host, "
    "not the link, set the step time · (n) the median of n steps, where there are fewer than 10 · "
    "— "
    "not measured\n";

constexpr const char* kTable1Legend =
    "\nIts columns, over each link on which all-reduce got to a target. Iterations: × how many "
    "times as fast it converges as all-reduce; time to accuracy: × how many times as fast it is "
    "there; compatible: the bytes counted on a worker's link are at most twice those of a ring "
    "all-reduce of what it hands over (in brackets: how many times as many). Not in the paper: "
    "lossless and stateless, as "
    "docs/METHODS.md has them. † ‡ as below\n";

/// The measurement that stands for a claim in the summary.
const ArmAnswer* shown_arm(const ClaimAnswer& answer) {
  if (answer.arms.empty()) return nullptr;
  return &answer.arms[answer.best.value_or(0)];
}

/// With the baseline where a claim has several.
std::string shown_words(const Claim& claim, const ArmAnswer& arm) {
  const auto words = ours_words(claim, arm.best());
  return claim.baselines.size() > 1 ? fmt::format("{} against {}", words, arm.best().against)
                                    : words;
}

Table summary_table(const std::vector<ClaimAnswer>& claims) {
  Table table;
  table.columns = {{"", "claim", true}, {"", "paper"},      {"", "ours"},
                   {"", "arm", true},   {"", "mode", true}, {"", "verdict", true}};
  for (const auto& answer : claims) {
    const auto& claim = *answer.claim;
    const auto* arm = shown_arm(answer);
    table.rows.push_back(
        {fmt::format("[{}](#{}): {}", claim.id, claim.id, claim.words), paper_words(claim),
         arm == nullptr ? "—" : markdown_text(shown_words(claim, *arm)),
         arm == nullptr ? "—" : markdown_text(arm->label),
         arm == nullptr ? "—" : arm->best().setting.mode,
         fmt::format("**{}**: {}", word_of(answer.finding), markdown_text(answer.why))});
  }
  return table;
}

std::string counts_line(const Reproduction& reproduction) {
  return fmt::format(
      "{} claims: **{} reproduced, {} better than claimed, {} contradicted, {} not testable here** "
      "({} of them by no run, [see below](#not-testable-by-any-run)).\n",
      reproduction.claims.size() + untestable_claims().size(),
      reproduction.count(Finding::kReproduced), reproduction.count(Finding::kBetter),
      reproduction.count(Finding::kContradicted), reproduction.count(Finding::kNotTestable),
      untestable_claims().size());
}

Table untestable_table() {
  Table table;
  table.columns = {{"", "claim", true}, {"", "where", true}, {"", "why not", true}};
  for (const auto& claim : untestable_claims()) {
    table.rows.push_back({claim.words, claim.where, claim.why});
  }
  return table;
}

std::string folder_of(const std::string& path) {
  constexpr std::string_view kFile = "/result.json";
  return path.ends_with(kFile) ? path.substr(0, path.size() - kFile.size()) : path;
}

Table runs_table(const std::vector<RunIdentity>& runs) {
  Table table;
  for (const char* head :
       {"folder", "scenario", "mode", "cells", "scenario hash", "commit", "host"}) {
    table.columns.push_back({"", head, true});
  }
  const auto known = [](const std::string& text) { return text.empty() ? "unknown" : text; };
  for (const auto& run : runs) {
    table.rows.push_back(
        {markdown_text(folder_of(run.path)), markdown_text(run.name), run.mode,
         fmt::format("{} of {}", run.cells, run.planned), known(run.scenario_hash.substr(0, 12)),
         known(fmt::format("{}", fmt::join(run.commits, ", "))), markdown_text(known(run.host))});
  }
  return table;
}

/// What to type to have the runs, and this document, again.
std::string commands(const std::vector<RunIdentity>& runs) {
  std::string text = "\n```sh\n";
  std::string folders;
  for (const auto& run : runs) {
    folders += ' ' + folder_of(run.path);
    if (run.commands.empty()) {
      text += fmt::format("# {}: its command was not recorded; its scenario is in manifest.json\n",
                          folder_of(run.path));
    }
    for (const auto& command : run.commands) text += command + '\n';
  }
  return text + "pacbench reproduce" + folders + "\n```\n";
}

std::string notes_markdown(const std::vector<std::string>& notes) {
  std::string text;
  for (const auto& note : notes) text += fmt::format("- {}\n", markdown_text(note));
  return text.empty() ? text : '\n' + text;
}

}  // namespace

std::string render_markdown(const Reproduction& reproduction) {
  std::string text =
      "# The paper's numbers beside ours\n\nPacTrain, arXiv 2505.18563. Written by `pacbench "
      "reproduce` from recorded runs: change nothing here by hand.\n\n";
  text += counts_line(reproduction) + '\n';
  text += to_markdown(summary_table(reproduction.claims)) + '\n' + kVerdicts;
  text += "\n## Claim by claim\n";
  for (const auto& answer : reproduction.claims) text += '\n' + claim_markdown(answer);
  if (!reproduction.tables_1.empty()) {
    text += "\n## Table 1, measured\n";
    text += kTable1Legend + table_1_markdown(reproduction.tables_1);
  }
  if (!reproduction.steps.empty()) {
    text += "\n## What an iteration takes\n";
    text += kStepsLegend + steps_markdown(reproduction.steps);
  }
  text += "\n## Not testable by any run\n\n" + to_markdown(untestable_table());
  text += "\n## Runs\n\n" + to_markdown(runs_table(reproduction.runs));
  text += notes_markdown(reproduction.notes) + commands(reproduction.runs);
  return text;
}

}  // namespace pacbench::reproduce
