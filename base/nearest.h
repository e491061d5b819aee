#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pacbench {

/// The one of `known` that a mistyped `word` was most likely meant to be: the one at the smallest
/// number of letters inserted, removed or replaced (Levenshtein's distance), and the first of
/// several at that distance. Nothing when all are further away than 1 + a third of the word's
/// length.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean "NEAREST"?", to be put after a message; empty when none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace pacbench
