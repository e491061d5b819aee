#include "analysis/reproduce/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "harness/text/table.h"

namespace pacbench::reproduce {
namespace {

std::string measured_words(const Claim& claim, const Evidence& evidence) {
  if (evidence.value) return value_words(claim, *evidence.value);
  if (evidence.step) {
    return fmt::format("{} × a step{}", significant(*evidence.step),
                       evidence.has_curve ? "" : ", no curve");
  }
  if (evidence.limit) return fmt::format("at most {} ×, not timed", significant(*evidence.limit));
  return kNone;
}

}  // namespace

std::string between(const report::SpeedUpEnds& ends) {
  const auto word = [](const std::optional<double>& end) {
    return end ? significant(*end) : std::string{"DNF"};
  };
  return fmt::format("{}–{}", word(ends.low), word(ends.high));
}

std::string words_of(const std::vector<Reason>& reasons) {
  std::vector<std::string> words;
  for (const auto& reason : reasons) words.push_back(reason.words);
  return fmt::format("{}", fmt::join(words, "; "));
}

std::string value_words(const Claim& claim, double value) {
  if (claim.quantity == Quantity::kAccuracyLost) return fmt::format("{:.2f} points", value);
  if (std::isinf(value)) return "baseline DNF";
  if (value == 0) return "DNF";
  return fmt::format("{} ×", significant(value));
}

std::string paper_words(const Claim& claim) {
  const auto* unit = claim.quantity == Quantity::kAccuracyLost ? "points" : "×";
  const auto* form = claim.form == Form::kUpTo      ? "up to "
                     : claim.form == Form::kAbout   ? "about "
                     : claim.form == Form::kAtLeast ? "at least "
                     : claim.form == Form::kAtMost  ? "at most "
                                                    : "";
  return fmt::format("{}{:g} {}", form, claim.value, unit);
}

std::string ours_words(const Claim& claim, const Evidence& evidence) {
  const auto words = measured_words(claim, evidence);
  return evidence.not_counted.empty() || words == kNone ? words : fmt::format("({})", words);
}

std::string start_words(const Setting& setting) {
  if (setting.start == "pretrain") return "pre-trained";
  if (setting.start == "random") return "from random weights";
  return setting.start.empty() ? "" : "from weights of a file";
}

}  // namespace pacbench::reproduce
