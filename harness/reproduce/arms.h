#pragma once

#include <optional>
#include <string>

#include "base/json_reader.h"

namespace pacbench::reproduce {

/// What a method of a canonical scenario is among the arms of the paper: "all-reduce", "fp16",
/// "topk-0.1", "topk-0.01", "masked" (float32 values), "masked-fp16", "masked-ternary" (a byte a
/// digit), "masked-ternary-lanes", "masked-ternary-all-to-all", "masked-levels" (more of them than
/// ternary digits, or error feedback), "ternary", "ternary-lanes", "ternary-all-to-all" (TernGrad),
/// "unmasked" (pruned, gradients not masked). Other methods have their own name.
std::string arm_kind(const Json& method);

/// "masking with ternary bytes".
std::string arm_words(const std::string& kind);

std::optional<double> pruning_ratio(const Json& method);

/// What is the same in two scenarios when a method is: its options, whatever it is called.
/// `any_ratio` leaves the pruning ratio out.
std::string arm_identity(Json method, bool any_ratio);

}  // namespace pacbench::reproduce
