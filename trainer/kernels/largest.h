#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace pacbench::trainer {

/// Indices of the `count` elements of float[n] that are largest in magnitude, ascending:
/// int64[count] on the device of `values`. Of equal elements the first are taken, so that every
/// device gives the same indices. NaN counts as larger than infinity. The result is exact. On a
/// CPU, for a long vector and a small share, a sample of 4096 elements gives a bound that a few
/// more than `count` elements should reach. One pass collects these candidates; without a sample,
/// or if fewer than `count` reach the bound, all elements are candidates. A radix selection among
/// the candidates finds the least of the largest (Alabi et al. 2012, doi 10.1145/2133803.2345676,
/// section 3).
at::Tensor largest(const at::Tensor& values, std::int64_t count);

}  // namespace pacbench::trainer
