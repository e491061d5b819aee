#pragma once

#include <cstdint>

#include "base/json_reader.h"

namespace pacbench {

/// The integer that a JSON number is. Throws nlohmann::json::type_error for anything else: also for
/// a number with a fraction or an exponent, whose conversion may be undefined, and for one beyond
/// ±2^62, so that the difference of two fits, except that of the two bounds.
std::int64_t integer_from_json(const Json& node);

}  // namespace pacbench
