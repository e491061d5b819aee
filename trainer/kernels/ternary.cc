#include "trainer/kernels/ternary.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pacbench {

float ternary_scale(const at::Tensor& values) {
  const auto elements = values.numel();
  if (elements == 0) return 0;
  const auto largest = values.abs().max().item<float>();
  // The deviation of a single value says nothing about it.
  if (elements == 1) return largest;
  const auto deviation = values.std(/*unbiased=*/false).item<float>();
  return std::min(largest, 2.5F * deviation);
}

void ternarise(const at::Tensor& values, const at::Tensor& positions, std::int64_t layer_elements,
               float scale, const RandomKey& key, at::Tensor& digits) {
  if (!(scale > 0)) {
    digits.zero_();
    return;
  }
  std::vector<float> uniform(static_cast<std::size_t>(layer_elements));
  fill_uniform(key, 0, layer_elements, uniform.data());
  const auto* value = values.data_ptr<float>();
  const auto* position = positions.data_ptr<std::int64_t>();
  auto* digit = digits.data_ptr<std::int8_t>();
  const float inverse = 1 / scale;
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    const bool taken =
        uniform[static_cast<std::size_t>(position[i])] < std::fabs(value[i]) * inverse;
    digit[i] = static_cast<std::int8_t>(taken ? (value[i] > 0 ? 1 : -1) : 0);
  }
}

}  // namespace pacbench
