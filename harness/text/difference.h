#pragma once

#include <optional>
#include <string>

#include "base/json/json_reader.h"

namespace pacbench {

/// The first difference of two documents, in the order of their keys. A value that one of them
/// lacks is called "nothing".
struct Difference {
  std::string pointer;
  std::string found;     ///< in the first document
  std::string expected;  ///< in the second document
};

std::optional<Difference> first_difference(const Json& found, const Json& expected,
                                           const std::string& pointer = "");

}  // namespace pacbench
