#pragma once

#include <ATen/core/Tensor.h>

namespace pacbench::trainer {

/// Returns a new tensor: each row of float[rows, 2^k] times the orthonormal Hadamard matrix, which
/// is its own inverse. Sums are made in the same order on every CPU.
at::Tensor hadamard(const at::Tensor& rows);

}  // namespace pacbench::trainer
