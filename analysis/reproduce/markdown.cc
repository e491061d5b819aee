#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analysis/reproduce/reproduction.h"
#include "analysis/reproduce/words.h"
#include "harness/text/markdown_text.h"
#include "harness/text/table.h"

namespace pacbench::reproduce {
namespace {

constexpr const char* kVerdicts =
    "\n## How a verdict is made\n\n"
    "- **reproduced**: the paper's number lies in our 95 % interval or within 20 % of ours (the "
    "larger is at most 1.2 times the smaller). A bound is kept in every setting, without slack, "
    "and by the whole interval.\n"
    "- **better than claimed**: ours exceeds a number that the paper gives for one setting, or as "
    "its best.\n"
    "- **contradicted**: it does not, where measured; or it could not at equal iterations, where "
    "there is no learning curve.\n"
    "- **not testable here**: too little was measured, without a curve, or in other settings.\n"
    "- **holds, fails or is inconclusive here**: the same rules, asked of settings of our own. "
    "That is never called reproduced.\n"
    "- **Limit by bytes**: how much faster a step can get, if nothing but declared bytes took "
    "time.\n\n"
    "Numbers in brackets decide nothing: they are of other settings, of suspect links or of "
    "unfinished rows. Formulas: docs/STATISTICS.md.\n";

/// How sure the number is: its interval, else the range of its seeds.
std::string certainty_words(const Evidence& evidence) {
  if (evidence.interval) return fmt::format(" [{}]", between(*evidence.interval));
  if (evidence.range) return fmt::format(" ({} over seeds)", between(*evidence.range));
  return "";
}

/// The number of an arm, with the baseline where a claim has several, and the spread over settings.
std::string number_words(const Claim& claim, const ArmAnswer& arm) {
  const auto& best = arm.best();
  auto words = ours_words(claim, best) + certainty_words(best) + ", " + best.label;
  if (claim.baselines.size() > 1) words += " against " + best.against;
  if (arm.over_settings && arm.over_settings->minimum < arm.over_settings->maximum) {
    const auto& all = *arm.over_settings;
    words += fmt::format("; median of all measurements {} ({}–{})", significant(all.median),
                         significant(all.minimum), significant(all.maximum));
  }
  return words;
}

std::string measured_words(const Claim& claim, const Judgement& judgement) {
  const auto* arm = judgement.shown();
  return arm == nullptr ? kNone : markdown_text(number_words(claim, *arm));
}

std::string limit_words(const Judgement& judgement) {
  const auto* arm = judgement.shown();
  if (arm == nullptr || !arm->best().by_bytes) return kNone;
  return significant(*arm->best().by_bytes) + " ×";
}

std::string verdict_words(const std::string& word, const std::string& why) {
  return fmt::format("**{}**: {}", word, markdown_text(why));
}

/// The number behind a verdict between `before` and `after`; nothing where no number counts.
std::string counted_words(const char* before, const Claim& claim, const Judgement& judgement,
                          const char* after) {
  const auto* arm = judgement.shown();
  if (arm == nullptr || !arm->counts) return "";
  return before + markdown_text(number_words(claim, *arm)) + after;
}

std::string here_words(const ClaimAnswer& answer) {
  if (!answer.here) return "not asked";
  const auto& here = *answer.here;
  return verdict_words(word_here(here.finding), here.why) +
         counted_words("; ", *answer.claim, here, "");
}

/// The table has the claims that a reader should see first.
Table first_claims(const std::vector<ClaimAnswer>& claims) {
  Table table;
  table.columns = {{"", "claim", true},          {"", "paper"},
                   {"", "limit by bytes"},       {"", "measured", true},
                   {"", "verdict", true},        {"", "in our own settings", true},
                   {"", "would settle it", true}};
  for (const auto& answer : claims) {
    const auto& claim = *answer.claim;
    if (!claim.first) continue;
    table.rows.push_back({fmt::format("**{}**: {} ({})", claim.id, claim.words, claim.where),
                          paper_words(claim), limit_words(answer), measured_words(claim, answer),
                          verdict_words(word_of(answer.finding), answer.why), here_words(answer),
                          claim.settled_by});
  }
  return table;
}

/// One line for each claim that first_claims() leaves out of its table: the verdict on it, and the
/// verdict in our own settings where the claim has one.
std::string other_claims(const std::vector<ClaimAnswer>& claims) {
  std::string text;
  for (const auto& answer : claims) {
    const auto& claim = *answer.claim;
    if (claim.first) continue;
    const auto here = answer.here ? fmt::format("**{}**{}", word_here(answer.here->finding),
                                                counted_words(" (", claim, *answer.here, ")"))
                                  : "not asked of our own settings";
    text += fmt::format("- **{}**, {}: {}: **{}**; {}\n", claim.id, paper_words(claim), claim.words,
                        word_of(answer.finding), here);
  }
  return text;
}

std::size_t count_here(const Reproduction& reproduction, const char* word) {
  return static_cast<std::size_t>(std::count_if(
      reproduction.claims.begin(), reproduction.claims.end(), [&](const ClaimAnswer& answer) {
        return answer.here && word_here(answer.here->finding) == word;
      }));
}

std::string sentence(const Reproduction& reproduction) {
  return fmt::format(
      "Of {} claims, runs in the paper's own settings reproduce {}, exceed {} and contradict {}; "
      "{} are not testable here, {} of them by no run. In our own settings the verdict is holds "
      "for "
      "{}, fails for {} and inconclusive for {}.\n",
      reproduction.claims.size() + reproduction.of->untestable.size(),
      reproduction.count(Finding::kReproduced), reproduction.count(Finding::kBetter),
      reproduction.count(Finding::kContradicted), reproduction.count(Finding::kNotTestable),
      reproduction.of->untestable.size(), count_here(reproduction, "holds here"),
      count_here(reproduction, "fails here"), count_here(reproduction, "inconclusive here"));
}

std::string untestable_list(const std::vector<UntestableClaim>& claims) {
  std::string text;
  for (const auto& claim : claims) {
    text += fmt::format("- {} ({}): {}\n", claim.words, claim.where, claim.why);
  }
  return text;
}

std::string notes_markdown(const std::vector<std::string>& notes) {
  std::string text;
  for (const auto& note : notes) text += fmt::format("- {}\n", markdown_text(note));
  return text.empty() ? text : "\n## What the runs say of themselves\n\n" + text;
}

std::string evidence_links(const std::string& folder) {
  if (folder.empty()) return "";
  return fmt::format(
      "\n![Each claim's number beside ours]({0}/claims.svg)\n\nAll measurements, why ours are "
      "other numbers, the paper's Table 1, times per iteration, and folder, commit, host and "
      "command of each run: [evidence.html]({0}/evidence.html), for programs "
      "[evidence.json]({0}/evidence.json).\n",
      folder);
}

}  // namespace

std::string render_markdown(const Reproduction& reproduction, const std::string& evidence) {
  std::string text = fmt::format(
      "# {}'s numbers beside ours\n\n{} Written by `pacbench reproduce` from recorded runs: change "
      "nothing here by hand.\n\n",
      reproduction.of->paper, reproduction.of->source + '.');
  text += sentence(reproduction);
  if (!reproduction.of->note.empty()) text += '\n' + reproduction.of->note + '\n';
  text += evidence_links(evidence) + '\n';
  text += to_markdown(first_claims(reproduction.claims));
  if (const auto others = other_claims(reproduction.claims); !others.empty()) {
    text += "\n## The other claims\n\n" + others;
  }
  text += "\n## Not testable by any run\n\n" + untestable_list(reproduction.of->untestable);
  return text + kVerdicts + notes_markdown(reproduction.notes);
}

}  // namespace pacbench::reproduce
