#pragma once

#include <cstdint>

#include "trainer/kernels/mask_kernels.h"
#include "trainer/kernels/moments.h"
#include "trainer/kernels/philox.h"

namespace pacbench::trainer::raw {

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

extern const RoundingKernels kPlainRounding;
extern const RoundingKernels kAvx2Rounding;
extern const RoundingKernels kAvx512Rounding;

}  // namespace pacbench::trainer::raw
