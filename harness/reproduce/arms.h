#pragma once

#include <optional>
#include <string>

#include "base/json_reader.h"

namespace pacbench::reproduce {

/// What a method of a canonical scenario prunes; absent of one that does not.
std::optional<double> pruning_ratio(const Json& method);

/// What is the same in two scenarios when a method is: its options, whatever it is called.
/// `any_ratio` leaves the pruning ratio out.
std::string arm_identity(Json method, bool any_ratio);

/// Whether a method of a canonical scenario has the best of several settings that were tried.
bool is_tuned(const Json& method);

}  // namespace pacbench::reproduce
