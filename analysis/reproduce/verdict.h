#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/reproduce/evidence.h"
#include "base/words.h"

namespace pacbench::reproduce {

/// Two numbers agree when the larger is at most this many times the smaller: "within 20 %". A bound
/// has no such slack.
constexpr double kTolerance = 1.2;

/// The outcome of a claim. kBetter: our number exceeds one that the paper gives as its best, or for
/// one setting.
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

/// The place of our number, compared with the paper's. kOpen: it cannot be told.
enum class Position { kAgrees, kBelow, kAbove, kOpen };

/// Compares our number with the paper's. The two agree when they are within 20 %, or when our 95 %
/// interval holds the paper's number. For a bound, ours is open when our interval holds the bound;
/// otherwise it agrees when it keeps the bound. Without a value, ours is below when `limit` is too
/// small, else open. An infinite value (the baseline never reached the target) is above a bound,
/// and open for other claims.
Position position(const Evidence& evidence, const Claim& claim);

/// One arm's answer to a claim, over all settings of the claim.
struct ArmAnswer {
  std::string label;
  std::string kind;
  bool is_paper_arm = false;
  Finding finding = Finding::kNotTestable;
  std::string why;                                  ///< the rule that made the finding, in words
  std::size_t needed = 0;                           ///< settings of the claim, times its baselines
  std::size_t measured = 0;                         ///< how many of them were measured
  std::optional<statistics::Spread> over_settings;  ///< of evidence that counts, else the nearest
  std::vector<Evidence> evidence;
  std::size_t decisive = 0;  ///< index of the evidence that represents the answer
  bool counts = false;       ///< whether that evidence decides; otherwise none does

  const Evidence& best() const { return evidence.at(decisive); }
};

/// Judges one arm by all its evidence, at least one piece. docs/STATISTICS.md has the rules.
ArmAnswer answer_of(const Claim& claim, std::vector<Evidence> evidence);

/// The factor between our number (the value, else the ratio of steps, else the limit) and the
/// paper's, at least 1. Infinite when our number is absent, 0 or negative.
double distance(const Evidence& evidence, double paper);

}  // namespace pacbench::reproduce
