#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace pacbench::trainer {

/// Indices of the `count` elements of float[n] that are largest in magnitude, ascending:
/// int64[count], where `values` lie. Of equal ones the first are taken, so that every device gives
/// the same indices. NaN counts as larger than infinity. The result is exact. On a CPU a sample of
/// 4096 elements gives a bound that a few more than `count` elements should reach, and one pass
/// collects these (all elements, if these are too few). A radix selection among them finds the
/// least of the largest (Alabi et al. 2012, doi 10.1145/2133803.2345676, section 3).
at::Tensor largest(const at::Tensor& values, std::int64_t count);

}  // namespace pacbench::trainer
