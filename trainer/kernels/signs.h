#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace pacbench::trainer {

/// Bytes of `count` signs: a whole number of words of 32 bits, so that floats may follow.
constexpr std::int64_t sign_bytes(std::int64_t count) { return (count + 31) / 32 * 4; }

/// float[n] to uint8[sign_bytes(n)]: bit i % 8 of byte i / 8 is set where element i is not
/// negative. A zero counts as positive, and what is not a number as negative.
at::Tensor pack_signs(const at::Tensor& values);

/// Adds `size` to each element of float[n] whose bit is set, and -`size` to the others. The n bits
/// begin at bit `first` of `packed`.
void add_signs(const at::Tensor& packed, std::int64_t first, float size, at::Tensor values);

}  // namespace pacbench::trainer
