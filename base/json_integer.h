#pragma once

#include <cstdint>

#include "base/json_reader.h"

namespace pacbench {

/// The integer that a JSON number is. Throws nlohmann::json::type_error for anything else: also for
/// a number with a fraction or an exponent, whose conversion may be undefined, and for one of 2^62
/// or more in size, so that the difference of two always fits.
std::int64_t integer_from_json(const Json& node);

}  // namespace pacbench
