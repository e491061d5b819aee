#pragma once

#include <optional>
#include <string>

#include "base/json_reader.h"

namespace pacbench {

/// The first difference of two documents, in the order of their keys.
struct Difference {
  std::string pointer;
  std::string found;     ///< in the first document, "nothing" when it is not there
  std::string expected;  ///< in the second
};

std::optional<Difference> first_difference(const Json& found, const Json& expected,
                                           const std::string& pointer = "");

}  // namespace pacbench
