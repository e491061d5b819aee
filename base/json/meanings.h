#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/json/json.h"

namespace pacbench {

/// What to write in place of a key that other tools have, such as `rtt_ms`, and pacbench has not:
/// "; WORDS", to be put after a message. Empty for other keys, and where the object does not know
/// the key that would be written.
std::string meaning_of(std::string_view key, const std::set<std::string>& known);

/// What to write in place of a value of a type that a key does not take, such as an array of rates:
/// "; WORDS" as above, or empty.
std::string meaning_of(std::string_view key, const Json& value);

}  // namespace pacbench
