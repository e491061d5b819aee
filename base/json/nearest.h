#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pacbench {

/// The word of `known` that a mistyped `word` most likely means: the first with the smallest
/// Levenshtein distance (letters inserted, removed or replaced). Nothing when every distance is
/// above 1 + a third of the word's length. Of words with an underscore each part must be near a
/// part of the other, in any order: "down_loss" is not "down_mbit" mistyped. A distance of 2 is
/// always near.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean "NEAREST"?", to be put after a message; empty when none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace pacbench
