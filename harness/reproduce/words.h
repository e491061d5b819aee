#pragma once

#include <string>
#include <vector>

#include "harness/reproduce/reproduction.h"

namespace pacbench::reproduce {

const char* word_of(Quantity quantity);  ///< "time-to-accuracy", …
const char* word_of(Form form);          ///< "at", "up-to", "at-least", "at-most"

/// "8.72 ×", "1.2 points".
std::string value_words(const Claim& claim, double value);

/// "up to 8.72 ×".
std::string paper_words(const Claim& claim);

/// What was measured: the value, or a step's where there is no curve ("1.9 × a step, no curve"), or
/// the most that could be; in brackets where it decides nothing.
std::string ours_words(const Claim& claim, const Evidence& evidence);

/// "95 % 4.9–5.8", "range 4.9–5.8", or "—".
std::string certainty_words(const Evidence& evidence);

/// With computing at half and at double the speed: from the smallest to the largest; or "—".
std::string speeds_words(const Evidence& evidence);

/// "resnet152, cifar10, 100 Mbit/s, chain3, pre-trained".
std::string setting_words(const Setting& setting);

/// "pre-trained", "from random weights", "from weights of a file"; empty where nothing was learned.
std::string start_words(const Setting& setting);

/// Of each item the shortest of its names that no other item has: `names` holds those of each, all
/// as many, from the shortest to the longest, which is taken where none is its own.
std::vector<std::string> told_apart(const std::vector<std::vector<std::string>>& names);

/// "132 ms", "1.16 s".
std::string seconds_words(double seconds);

/// A time beside how many times as fast it is, and the marks of the legend: "1.16 s × 8.05 † ‡".
std::string measured_words(std::string time, const std::optional<Estimate>& speed_up, bool suspect,
                           bool cpu_bound);

/// "suspect", "cpu-bound", both or "ok".
std::string trust_words(bool suspect, bool cpu_bound);

}  // namespace pacbench::reproduce
