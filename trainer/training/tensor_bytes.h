#pragma once

#include <cstdint>
#include <vector>

namespace pacbench::trainer {

/// The number of bytes of a tensor. When a length is negative or the number does not fit into 64
/// bits, returns the largest number of 64 bits, which is more than any file has.
inline std::uint64_t tensor_bytes(const std::vector<std::int64_t>& shape,
                                  std::uint64_t element_bytes) {
  std::uint64_t bytes = element_bytes;
  for (const auto length : shape) {
    if (length < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(length), &bytes)) {
      return ~std::uint64_t{0};
    }
  }
  return bytes;
}

}  // namespace pacbench::trainer
