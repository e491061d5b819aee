#pragma once

#include <string>
#include <vector>

#include "analysis/reproduce/evidence.h"

namespace pacbench::reproduce {

inline constexpr const char* kNone = "—";  ///< for a number that is absent

/// A measured value in words: "8.72 ×", "1.20 points". For ratios "DNF" stands for 0, and "baseline
/// DNF" for infinity.
std::string value_words(const Claim& claim, double value);

/// The paper's number in words: "up to 8.72 ×".
std::string paper_words(const Claim& claim);

/// The measurement in words: the value, else the ratio of steps ("1.9 × a step, no curve"), else
/// the most that the value can be, else kNone. In parentheses where the measurement decides
/// nothing.
std::string ours_words(const Claim& claim, const Evidence& evidence);

/// The two ends in words: "4.9–5.8". An end that is absent is "DNF".
std::string between(const report::SpeedUpEnds& ends);

/// The initial weights in words: "pre-trained", "from random weights", "from weights of a file";
/// empty where nothing was learned.
std::string start_words(const Setting& setting);

}  // namespace pacbench::reproduce
