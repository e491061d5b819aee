#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pacbench {

/// The one of `known` that a mistyped `word` was most likely meant to be: the smallest number of
/// letters inserted, removed or replaced (Levenshtein's distance), at most one and a third of the
/// word's letters. The first of several that are as near; none when all are further away.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean "NEAREST"?", to be put after a message; empty when none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace pacbench
