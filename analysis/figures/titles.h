#pragma once

#include <string>

#include "contract/scenario/target.h"

namespace pacbench::figures {

/// For example "to 97 %".
inline std::string target_words(const Target& target) { return "to " + words_of(target); }

}  // namespace pacbench::figures
