#pragma once

#include <optional>
#include <string>

#include "analysis/reproduce/measured.h"

namespace pacbench::reproduce {

/// The functions below return the seconds that rank 0 was to sleep in place of work in an iteration
/// of mode compose, as the profile says. Measured times would also include waits for a CPU and for
/// other buckets. Slow workers are ignored; their runs decide nothing where a claim names a
/// topology.

/// Forward and backward, the median over the profile's iterations; absent in other modes.
std::optional<double> profiled_compute_s(const MeasuredLink& link);

/// Encoding and decoding of a method, all buckets together; absent where methods really ran, in
/// other modes, and where the profile lacks the method.
std::optional<double> profiled_encode_s(const MeasuredLink& link, const std::string& label);

}  // namespace pacbench::reproduce
