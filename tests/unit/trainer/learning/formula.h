#pragma once

#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace pacbench::trainer::testing {

/// Numbers in [-1, 1) in double precision, computed from a tensor's name (FNV-1a) and each
/// element's index (a mixer of MurmurHash3). formula.py computes the same.
inline at::Tensor filled(const std::string& name, at::IntArrayRef shape) {
  std::uint32_t seed = 0x811C9DC5;
  for (const char byte : name) seed = (seed ^ static_cast<unsigned char>(byte)) * 0x01000193;
  auto values = at::empty(shape, at::kDouble);
  auto* out = values.data_ptr<double>();
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(values.numel()); ++i) {
    std::uint32_t x = i * 0x9E3779B1 + seed;
    x = (x ^ (x >> 16)) * 0x85EBCA6B;
    x = (x ^ (x >> 13)) * 0xC2B2AE35;
    x = x ^ (x >> 16);
    out[i] = x / 2147483648.0 - 1;
  }
  return values;
}

/// The values of a parameter or buffer: weights are uniform with the variance of He et al., scales
/// and running variances are around 1, and all others are around 0.
inline at::Tensor value(const std::string& name, at::IntArrayRef shape) {
  auto values = filled(name, shape);
  if (shape.size() > 1) {
    const auto fan_in = static_cast<double>(values.numel()) / static_cast<double>(shape[0]);
    return values.mul_(std::sqrt(6 / fan_in));
  }
  const bool around_one = name.ends_with("weight") || name.ends_with("running_var");
  return values.mul_(0.1).add_(around_one ? 1 : 0);
}

}  // namespace pacbench::trainer::testing
