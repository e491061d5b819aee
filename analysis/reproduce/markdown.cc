#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analysis/reproduce/reproduction.h"
#include "analysis/reproduce/words.h"
#include "harness/text/markdown_text.h"
#include "harness/text/table.h"

namespace pacbench::reproduce {
namespace {

constexpr const char* kLegend =
    "\n"
    "## How to read this page\n\n"
    "- **limit by bytes**: how many times as fast a step could be if nothing but the declared "
    "bytes took time. A measured ratio can exceed this limit: a method may need fewer iterations "
    "than its baseline, or may send nothing in its median step. Or the baseline's step takes "
    "longer than its bytes need, since it also computes and waits.\n"
    "- **measured**: our number for one arm (a method with its options), and the label of this "
    "arm. Of several arms of the paper's method with the same verdict, this is the one whose "
    "number is nearest to the paper's. Of several measurements of this arm, the page shows the one "
    "that speaks most against a bound or an \"about\"; otherwise it shows the largest. A number in "
    "parentheses does not count for the first "
    "verdict: for example, it is from other settings, a shorter training, too few seeds or suspect "
    "links. It may still decide the verdict in our own settings. Square "
    "brackets hold a 95 % interval, \"seeds a–b\" is the range over seeds. "
    "\"× a step, no curve\" is a ratio of times per iteration, because no learning curve gives a "
    "time to accuracy.\n"
    "- **verdict**: our finding in the settings that the claim is about, such as a model, a data "
    "set or a number of workers. Where we measured none of them, the verdict says \"no "
    "measurement counts\", and how the nearest one differs.\n"
    "- **in our own settings**: a second verdict, by the same rules. \"Holds here\" stands for "
    "reproduced or better than claimed, \"fails here\" for contradicted, \"inconclusive here\" "
    "for not testable. Nothing is called reproduced there. \"Not asked\": the file of claims "
    "names no settings of our own for this claim.\n"
    "- **settled by**: the runs that decide the claim, or that would decide it.\n\n"
    "The verdicts:\n\n"
    "- **reproduced**: the paper's number lies in our 95 % interval, or the larger of the two "
    "numbers is at most 1.2 times the smaller (\"within 20 %\"). For \"up to\" one such setting "
    "is enough; \"about\" needs all settings. A bound (\"at least\", \"at most\") must hold in "
    "every setting, without the 20 %, and for the whole interval.\n"
    "- **better than claimed**: ours is more than 20 % larger than a number that the paper "
    "gives for one setting or as its best, and that number is not in our interval.\n"
    "- **contradicted**: ours differs from the number by more than 20 %, and the number is not in "
    "our interval. For one setting, and for \"up to\", ours must be too small; for \"up to\" in "
    "all settings. For \"about\", one setting that is too small or too large is enough. A bound is "
    "contradicted by one setting that breaks it with its whole interval. A claim is also "
    "contradicted when there is no learning curve, and ours would be too small if both methods "
    "needed equally many iterations.\n"
    "- **not testable here**: too few settings were measured, or other settings only; a learning "
    "curve is missing; or our interval contains the bound.\n\n"
    "docs/STATISTICS.md has the formulas.\n\n"
    "## The main claims\n\n";

/// The uncertainty of a number: its interval, else the range of its seeds.
std::string certainty_words(const Evidence& evidence) {
  if (evidence.interval) return fmt::format(" [{}]", between(*evidence.interval));
  if (evidence.range) return fmt::format(", seeds {}", between(*evidence.range));
  return "";
}

/// The number of an arm, with the baseline where a claim has several, and the spread over settings.
std::string number_words(const Claim& claim, const ArmAnswer& arm) {
  const auto& best = arm.best();
  auto words = ours_words(claim, best) + certainty_words(best) + ", " + best.label;
  if (claim.baselines.size() > 1) words += " against " + best.against;
  if (arm.over_settings && arm.over_settings->minimum < arm.over_settings->maximum) {
    const auto& all = *arm.over_settings;
    words +=
        fmt::format("; all measurements of this arm {} to {}, median {}", significant(all.minimum),
                    significant(all.maximum), significant(all.median));
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

/// The number behind a verdict, after `before`; nothing where no number counts.
std::string counted_words(const char* before, const Claim& claim, const Judgement& judgement) {
  const auto* arm = judgement.shown();
  if (arm == nullptr || !arm->counts) return "";
  return before + markdown_text(number_words(claim, *arm));
}

std::string here_words(const ClaimAnswer& answer) {
  if (!answer.here) return "not asked";
  const auto& here = *answer.here;
  return verdict_words(word_here(here.finding), here.why) +
         counted_words("; ", *answer.claim, here);
}

/// The table of the claims that a reader should see first.
Table first_claims(const std::vector<ClaimAnswer>& claims) {
  Table table;
  table.columns = {{"", "claim", true},     {"", "paper"},
                   {"", "limit by bytes"},  {"", "measured", true},
                   {"", "verdict", true},   {"", "in our own settings", true},
                   {"", "settled by", true}};
  for (const auto& answer : claims) {
    const auto& claim = *answer.claim;
    if (!claim.first) continue;
    const auto reading =
        claim.reading.empty() ? "" : fmt::format(". Our reading: {}", claim.reading);
    table.rows.push_back(
        {fmt::format("**{}**: {} ({}){}", claim.id, claim.words, claim.where, reading),
         paper_words(claim), limit_words(answer), measured_words(claim, answer),
         verdict_words(word_of(answer.finding), answer.why), here_words(answer), claim.settled_by});
  }
  return table;
}

/// One line for each claim that first_claims() leaves out. It has the verdict in the settings that
/// the claim is about. Where the claim is also judged in settings that the paper does not have
/// (Claim::here), it has that verdict too.
std::string other_claims(const std::vector<ClaimAnswer>& claims) {
  std::string text;
  for (const auto& answer : claims) {
    const auto& claim = *answer.claim;
    if (claim.first) continue;
    const auto here =
        answer.here ? fmt::format("; in our own settings **{}**{}", word_here(answer.here->finding),
                                  counted_words(", ", claim, *answer.here))
                    : "";
    text += fmt::format("- **{}**, {}: {}. {}{}\n", claim.id, paper_words(claim), claim.words,
                        verdict_words(word_of(answer.finding), answer.why), here);
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
  const auto untestable = reproduction.of->untestable.size();
  auto words = fmt::format(
      "Of {} claims, our runs in the settings of the claim reproduce {}, exceed {} and contradict "
      "{}. {} are undecided by what we measured (\"not testable here\"), and {} could not be "
      "tested by any run.",
      reproduction.claims.size() + untestable, reproduction.count(Finding::kReproduced),
      reproduction.count(Finding::kBetter), reproduction.count(Finding::kContradicted),
      reproduction.count(Finding::kNotTestable) - untestable, untestable);
  if (const auto held = count_here(reproduction, "holds here"),
      failed = count_here(reproduction, "fails here"),
      open = count_here(reproduction, "inconclusive here");
      held + failed + open > 0) {
    words += fmt::format(" In our own settings {} hold, {} fail and {} are inconclusive.", held,
                         failed, open);
  }
  return words + "\n";
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
  return text.empty() ? text : "\n## Notes on the runs\n\n" + text;
}

std::string evidence_links(const std::string& folder) {
  if (folder.empty()) return "";
  return fmt::format(
      "\n![Each claim's number beside ours]({0}/claims.svg)\n\n"
      "[evidence.html]({0}/evidence.html) has all measurements, the reasons why our numbers "
      "differ, the paper's Table 1, times per iteration, and the folder, commit, host and command "
      "of each run. [evidence.json]({0}/evidence.json) has the same for programs.\n",
      folder);
}

}  // namespace

std::string render_markdown(const Reproduction& reproduction, const std::string& evidence) {
  std::string text = fmt::format(
      "# {0}'s numbers beside ours\n\nThis page compares the numbers of a paper, {0} ({1}), with "
      "ours: those of runs that pacbench recorded. `pacbench reproduce` wrote it from these runs, "
      "so change nothing here by hand.\n\n",
      reproduction.of->paper, reproduction.of->source);
  if (!reproduction.of->note.empty()) text += reproduction.of->note + "\n\n";
  text += sentence(reproduction) + evidence_links(evidence) + kLegend;
  text += to_markdown(first_claims(reproduction.claims));
  if (const auto others = other_claims(reproduction.claims); !others.empty()) {
    text += "\n## The other claims\n\n" + others;
  }
  text += "\n## Not testable by any run\n\n" + untestable_list(reproduction.of->untestable);
  return text + notes_markdown(reproduction.notes);
}

}  // namespace pacbench::reproduce
