#pragma once

#include <cstdint>

#include "trainer/kernels/philox.h"

namespace pacbench::trainer {

/// The moments of the kept elements of a parameter's gradient. `largest` is the largest magnitude;
/// it is NaN when any of them is NaN, and else infinite when one is. All implementations add the
/// squares in the same order. In each chunk of 4096 elements, element i is added to sum i % 16.
/// Then sum k + 8 is added to sum k, k + 4 to k, k + 2 to k, and 1 to 0. Sum 0 is added to the sum
/// of the chunks before.
struct Moments {
  float largest = 0;
  double sum_of_squares = 0;
};

namespace raw {

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

/// Kernels of stochastic rounding: the moments from which callers compute the scale, the rounding
/// to whole levels, and the way back (see trainer/kernels/kernels.h). Elements of mask word w use
/// the random numbers of blocks 16 · w to 16 · w + 15 of the stream.
struct RoundingKernels {
  Moments (*moments)(const float* values, const Mask& mask);
  void (*quantise)(const float* values, const Mask& mask, float levels_per_unit, int levels,
                   const PhiloxStream& stream, std::int8_t* digits);
  void (*scatter_int8)(const std::int8_t* levels, const Mask& mask, float factor, float* out);
  void (*scatter_int16)(const std::int16_t* levels, const Mask& mask, float factor, float* out);
};

/// The moments of a chunk of up to kElements elements, with one sum of squares for each lane: the
/// square of element i is added to lane i % kLanes. The largest magnitude is held as its bits,
/// which have the order of magnitudes, with NaN above all.
struct ChunkMoments {
  static constexpr std::int64_t kElements = 4096;
  static constexpr int kLanes = 16;

  double squares[kLanes];
  std::uint32_t largest_bits;
};

/// Adds the moments of a chunk to those of the chunks before it.
void add_chunk(const ChunkMoments& chunk, Moments& total);

/// The moments of all chunks together. `of_chunk` computes those of one chunk.
Moments by_chunks(const float* values, const Mask& mask,
                  ChunkMoments (*of_chunk)(const float* values, const Mask& mask));

/// Stochastic rounding of one value, see quantise() in kernels.h, for CPU and GPU. NaN gets level
/// 0, since callers learn of NaN from moments() in kernels.h.
constexpr std::int8_t rounded(float value, float levels_per_unit, float levels, float uniform) {
  const float scaled = (value < 0 ? -value : value) * levels_per_unit;
  const float clipped = scaled > 0 ? (scaled < levels ? scaled : levels) : 0;
  const int whole = static_cast<int>(clipped);
  const int level = whole + (uniform < clipped - static_cast<float>(whole) ? 1 : 0);
  return static_cast<std::int8_t>(value < 0 ? -level : level);
}

extern const MaskKernels kPlainMasks;
extern const MaskKernels kAvx2Masks;
extern const MaskKernels kAvx512Masks;
extern const RoundingKernels kPlainRounding;
extern const RoundingKernels kAvx2Rounding;
extern const RoundingKernels kAvx512Rounding;

}  // namespace raw
}  // namespace pacbench::trainer
