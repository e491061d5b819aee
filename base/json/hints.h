#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"

namespace pacbench {

/// The word of `known` that a mistyped `word` most likely means: the first with the smallest
/// Levenshtein distance (letters inserted, removed or replaced). Nothing when every distance is
/// above 1 + a third of the word's length. Of words with an underscore each part must be near a
/// part of the other, in any order: "down_loss" is not "down_mbit" mistyped. A distance of 2 is
/// always near.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean "NEAREST"?", to be put after a message; empty when none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

/// Says what to write in place of a key that other tools have, such as `rtt_ms`, and pacbench has
/// not:
/// "; WORDS", to be put after a message. Empty for other keys, and where the object does not know
/// the key that would be written.
std::string meaning_of(std::string_view key, const std::set<std::string>& known);

/// Says what to write in place of a value of a type that a key does not take, such as an array of
/// rates:
/// "; WORDS" as above, or empty.
std::string meaning_of(std::string_view key, const Json& value);

}  // namespace pacbench
