#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace pacbench::trainer {

/// Indices of the `count` elements of float[n] that are largest in magnitude, ascending:
/// int64[count], where `values` lie. Of equal ones the first are taken, so that every device gives
/// the same indices. NaN counts as larger than infinity. Exact, in two passes over the values: one
/// counts them by exponent and leading bits, as a radix selection does (Alabi et al. 2012,
/// doi 10.1145/2133803.2345676, section 3), one collects those that may belong to the result.
at::Tensor largest(const at::Tensor& values, std::int64_t count);

}  // namespace pacbench::trainer
