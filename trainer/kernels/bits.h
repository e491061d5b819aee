#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace pacbench {

/// Packs bool[n] into uint8[ceil(n / 8)]: element i is bit i % 8 of byte i / 8, unused bits are 0.
at::Tensor pack_bits(const at::Tensor& flags);

/// The inverse: the first `elements` bits as bool.
at::Tensor unpack_bits(const at::Tensor& packed, std::int64_t elements);

}  // namespace pacbench
