// The loops take 8 values at a time: a byte of a mask word chooses their permutation.
#include <immintrin.h>

#include "trainer/kernels/cpu/avx2/permutation.h"
#include "trainer/kernels/mask_kernels.h"

namespace pacbench::trainer::raw {
namespace {

/// The bits of the non-zeros among 64 values.
std::uint64_t nonzero_bits(const float* values) {
  std::uint64_t word = 0;
  for (int i = 0; i < 8; ++i) {
    const __m256 vector = _mm256_loadu_ps(values + 8 * i);
    const __m256 bits = _mm256_cmp_ps(vector, _mm256_setzero_ps(), _CMP_NEQ_UQ);
    word |= std::uint64_t{static_cast<unsigned>(_mm256_movemask_ps(bits))} << (8 * i);
  }
  return word;
}

std::int64_t nonzero(const float* values, std::int64_t elements, std::uint64_t* words) {
  std::int64_t set = 0;
  std::int64_t begin = 0;
  for (; begin + 64 <= elements; begin += 64) {
    const auto word = nonzero_bits(values + begin);
    words[begin / 64] = word;
    set += __builtin_popcountll(word);
  }
  return set + kPlainMasks.nonzero(values + begin, elements - begin, words + begin / 64);
}

void compact(const float* values, const Mask& mask, float* out) {
  const float* const end = out + mask.kept;
  std::int64_t begin = 0;
  // Whole vectors are loaded and stored, so the plain version takes over near the end.
  for (; begin + 64 <= mask.elements && end - out >= 64; begin += 64) {
    const auto word = mask.words[begin / 64];
    for (int i = 0; i < 8; ++i) {
      const auto bits = byte_of(word, i);
      _mm256_storeu_ps(out, compacted(_mm256_loadu_ps(values + begin + 8 * i), bits));
      out += __builtin_popcount(bits);
    }
  }
  kPlainMasks.compact(values + begin, {mask.words + begin / 64, mask.elements - begin, end - out},
                      out);
}

void scatter(const float* values, const Mask& mask, float* out) {
  const float* const end = values + mask.kept;
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements && end - values >= 64; begin += 64) {
    const auto word = mask.words[begin / 64];
    for (int i = 0; i < 8; ++i) {
      const auto bits = byte_of(word, i);
      _mm256_storeu_ps(out + begin + 8 * i, expanded(_mm256_loadu_ps(values), bits));
      values += __builtin_popcount(bits);
    }
  }
  kPlainMasks.scatter(values, {mask.words + begin / 64, mask.elements - begin, end - values},
                      out + begin);
}

void zero_outside(float* values, const Mask& mask) {
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements; begin += 64) {
    const auto word = mask.words[begin / 64];
    for (int i = 0; i < 8; ++i) {
      float* const place = values + begin + 8 * i;
      const __m256 kept = _mm256_and_ps(_mm256_loadu_ps(place), lane_mask(byte_of(word, i)));
      _mm256_storeu_ps(place, kept);
    }
  }
  kPlainMasks.zero_outside(values + begin, {mask.words + begin / 64, mask.elements - begin, 0});
}

bool any_outside(const float* values, const Mask& mask) {
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements; begin += 64) {
    if ((nonzero_bits(values + begin) & ~mask.words[begin / 64]) != 0) return true;
  }
  return kPlainMasks.any_outside(values + begin,
                                 {mask.words + begin / 64, mask.elements - begin, 0});
}

}  // namespace

const MaskKernels kAvx2Masks{nonzero, compact, scatter, zero_outside, any_outside};

}  // namespace pacbench::trainer::raw
