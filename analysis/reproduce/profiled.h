#pragma once

#include <optional>
#include <string>

#include "analysis/reproduce/measured.h"

namespace pacbench::reproduce {

/// The work that rank 0 slept through in an iteration of mode compose, as its profile says (slow
/// workers left aside: their runs decide nothing): the times measured in a run also include how
/// long workers waited for a CPU, and for each other's buckets.

/// Forward and backward; absent in other modes.
std::optional<double> profiled_compute_s(const MeasuredLink& link);

/// Encoding and decoding of a method, all buckets together; absent where methods really ran.
std::optional<double> profiled_encode_s(const MeasuredLink& link, const std::string& label);

}  // namespace pacbench::reproduce
