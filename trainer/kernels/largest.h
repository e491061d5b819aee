#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace pacbench::trainer {

/// Indices of the `count` elements of float[n] that are largest in magnitude, ascending:
/// int64[count], where `values` lie. Of equal ones the first are taken, so that every device gives
/// the same indices. NaN counts as larger than infinity. Exact: one pass collects
/// the elements that a sample of a few thousand lets expect in the result (all, if these turn out
/// to be too few), and a radix selection finds the least of the largest among them (Alabi et al.
/// 2012, doi 10.1145/2133803.2345676, section 3).
at::Tensor largest(const at::Tensor& values, std::int64_t count);

}  // namespace pacbench::trainer
