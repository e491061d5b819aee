#pragma once

#include <cstdint>

namespace pacbench::trainer::raw {

/// The elements of a parameter that are kept: element i is bit i % 64 of word i / 64. Bits from
/// `elements` on are 0.
struct Mask {
  const std::uint64_t* words = nullptr;
  std::int64_t elements = 0;
  std::int64_t kept = 0;  ///< how many bits are set
};

/// Kernels that make a mask, and kernels that move, zero or test the values that a mask selects
/// (see trainer/kernels/kernels.h). They read and write nothing beyond `elements` or `kept` values.
struct MaskKernels {
  /// Returns how many bits it set.
  std::int64_t (*nonzero)(const float* values, std::int64_t elements, std::uint64_t* words);
  void (*compact)(const float* values, const Mask& mask, float* out);
  void (*scatter)(const float* values, const Mask& mask, float* out);
  void (*zero_outside)(float* values, const Mask& mask);
  bool (*any_outside)(const float* values, const Mask& mask);
};

extern const MaskKernels kPlainMasks;
extern const MaskKernels kAvx2Masks;
extern const MaskKernels kAvx512Masks;

}  // namespace pacbench::trainer::raw
