// The loops take 16 values at a time: a quarter of a mask word is their mask register. Loads are of
// whole vectors: masked loads keep some CPUs (Zen 5) from prefetching.
#include <immintrin.h>

#include "trainer/kernels/mask_kernels.h"

namespace pacbench::trainer::raw {
namespace {

__mmask16 quarter(std::uint64_t word, int index) {
  return static_cast<__mmask16>(word >> (16 * index));
}

/// The bits of the non-zeros among 64 values.
std::uint64_t nonzero_bits(const float* values) {
  std::uint64_t word = 0;
  for (int i = 0; i < 4; ++i) {
    const __m512 vector = _mm512_loadu_ps(values + 16 * i);
    const __mmask16 bits = _mm512_cmp_ps_mask(vector, _mm512_setzero_ps(), _CMP_NEQ_UQ);
    word |= std::uint64_t{bits} << (16 * i);
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
    for (int i = 0; i < 4; ++i) {
      const __mmask16 bits = quarter(word, i);
      const __m512 vector = _mm512_loadu_ps(values + begin + 16 * i);
      _mm512_storeu_ps(out, _mm512_maskz_compress_ps(bits, vector));
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
    for (int i = 0; i < 4; ++i) {
      const __mmask16 bits = quarter(word, i);
      __m512 vector = _mm512_loadu_ps(values);
      // Without this line the compiler merges the load into the expansion, which makes it a masked
      // load.
      asm("" : "+v"(vector));
      _mm512_storeu_ps(out + begin + 16 * i, _mm512_maskz_expand_ps(bits, vector));
      values += __builtin_popcount(bits);
    }
  }
  kPlainMasks.scatter(values, {mask.words + begin / 64, mask.elements - begin, end - values},
                      out + begin);
}

void zero_outside(float* values, const Mask& mask) {
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements; begin += 64) {
    const auto outside = ~mask.words[begin / 64];
    for (int i = 0; i < 4; ++i) {
      _mm512_mask_storeu_ps(values + begin + 16 * i, quarter(outside, i), _mm512_setzero_ps());
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

const MaskKernels kAvx512Masks{nonzero, compact, scatter, zero_outside, any_outside};

}  // namespace pacbench::trainer::raw
