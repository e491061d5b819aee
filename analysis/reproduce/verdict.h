#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/reproduce/evidence.h"
#include "base/words.h"

namespace pacbench::reproduce {

/// Two numbers agree when the larger is at most so many times the smaller: "within 20 %". A bound
/// has no such slack.
constexpr double kTolerance = 1.2;

/// kBetter: ours exceeds a number that the paper gives as its best, or for one setting.
enum class Finding { kReproduced, kBetter, kContradicted, kNotTestable };

}  // namespace pacbench::reproduce

namespace pacbench {

template <>
struct Words<reproduce::Finding> {
  static constexpr std::array kAll{"reproduced", "better than claimed", "contradicted",
                                   "not testable here"};
};

}  // namespace pacbench

namespace pacbench::reproduce {

/// The word for a finding over our own settings, where nothing is reproduced: "holds here", "fails
/// here", "inconclusive here".
std::string word_here(Finding finding);

/// How ours lies to the paper's number.
enum class Position { kAgrees, kBelow, kAbove, kOpen };

/// In the 95 % interval or within 20 %: agrees. Of a bound: kept, or above or below it, and open
/// where the interval holds it, on whichever side of it the number is. Below as well where the most
/// that could come out is too little; open where nothing of that can be said, as of a number that
/// has no end because the baseline never got to the target (which is above a bound).
Position position(const Evidence& evidence, const Claim& claim);

/// One arm's answer to a claim, over all its settings.
struct ArmAnswer {
  std::string label;
  std::string kind;
  bool is_paper_arm = false;
  Finding finding = Finding::kNotTestable;
  std::string why;           ///< the rule that made the finding, in words
  std::size_t needed = 0;    ///< settings that the claim speaks of, times its baselines
  std::size_t measured = 0;  ///< of them
  std::optional<statistics::Spread> over_settings;  ///< of what decides; else of what lacks least
  std::vector<Evidence> evidence;
  std::size_t decisive = 0;  ///< place of the evidence that stands for it
  bool counts = false;       ///< whether that decides anything; otherwise nothing did

  const Evidence& best() const { return evidence.at(decisive); }
};

/// `evidence` is all of one arm, at least one. docs/STATISTICS.md has the rules.
ArmAnswer answer_of(const Claim& claim, std::vector<Evidence> evidence);

/// How close a number comes to the paper's: 1 when equal, otherwise how many times off.
double distance(const Evidence& evidence, double paper);

}  // namespace pacbench::reproduce
