#pragma once

#include <fmt/format.h>

#include <string>

namespace pacbench {

/// "to 97 %".
inline std::string target_words(double accuracy) {
  return fmt::format("to {:.6g} %", 100 * accuracy);
}

}  // namespace pacbench
