#pragma once

#include <string>

#include "base/json_reader.h"

namespace pacbench::reproduce {

/// Identifies a method across scenarios: its options, whatever its label. `any_ratio` leaves the
/// pruning ratio out.
std::string arm_identity(Json method, bool any_ratio);

/// Whether a method of a canonical scenario uses the best of several settings that were tried.
bool is_tuned(const Json& method);

}  // namespace pacbench::reproduce
