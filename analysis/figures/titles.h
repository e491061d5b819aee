#pragma once

#include <string>

#include "contract/scenario/target.h"

namespace pacbench::figures {

/// The target in a title, for example "to 97 %".
inline std::string target_words(const Target& target) { return "to " + words_of(target); }

}  // namespace pacbench::figures
