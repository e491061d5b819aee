#pragma once

#include <ATen/core/Tensor.h>

#include "trainer/kernels/philox.h"

namespace pacbench {

/// TernGrad's scale of one layer's gradient (Wen et al. 2017, arXiv 1705.07878, section 4): the
/// largest magnitude after clipping at 2.5 standard deviations.
float ternary_scale(const at::Tensor& values);

/// Rounds float[k] to int8[k] in {-1, 0, 1}, non-zero with probability min(|v| / scale, 1), so that
/// its expectation times `scale` is the clipped value. Element i of the layer draws number
/// positions[i] of `key`, whatever else is in the bucket. A scale of 0 gives zeros.
void ternarise(const at::Tensor& values, const at::Tensor& positions, std::int64_t layer_elements,
               float scale, const RandomKey& key, at::Tensor& digits);

}  // namespace pacbench
