#pragma once

#include <immintrin.h>

#include "trainer/kernels/philox.h"

// Only files compiled for AVX-512 include this header. Its names are in an anonymous namespace, so
// that each file has its own copies. Of a shared inline function the linker would keep one copy for
// the whole program, and avx2/vectors.h has the same names.
namespace pacbench::trainer::raw {
namespace {

/// Random words as numbers uniform in [0, 1).
inline __m512 uniform_floats(__m512i random) {
  return _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_srli_epi32(random, 8)), _mm512_set1_ps(0x1p-24F));
}

using Words = __m512i;

inline __m512i broadcast(std::uint32_t word) { return _mm512_set1_epi32(static_cast<int>(word)); }

/// Eight blocks at once, each word in the lower half of a 64-bit lane. The product of two such
/// lanes reads only the lower halves, so the upper halves need no clearing.
struct PhiloxBlocks {
  static constexpr std::uint32_t kBlocks = 8;

  __m512i words[4];

  PhiloxBlocks(const PhiloxStream& stream, std::uint32_t first_block) {
    // The blocks are in the order that `interleave` needs.
    const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    words[0] = _mm512_add_epi32(order, broadcast(stream.counter[0] + first_block));
    for (int i = 1; i < 4; ++i) words[i] = broadcast(stream.counter[i]);
  }

  void mix(__m512i key0, __m512i key1) {
    constexpr int kXor = 0x96;
    const __m512i product0 = _mm512_mul_epu32(words[0], broadcast(Philox4x32::kMultiplier0));
    const __m512i product1 = _mm512_mul_epu32(words[2], broadcast(Philox4x32::kMultiplier1));
    words[0] = _mm512_ternarylogic_epi32(_mm512_srli_epi64(product1, 32), words[1], key0, kXor);
    words[1] = product1;
    words[2] = _mm512_ternarylogic_epi32(_mm512_srli_epi64(product0, 32), words[3], key1, kXor);
    words[3] = product0;
  }

  /// Writes the words in the order of the elements.
  void interleave(__m512i* out) const {
    constexpr __mmask16 kUpperHalves = 0xAAAA;
    const __m512i words01 =
        _mm512_mask_shuffle_epi32(words[0], kUpperHalves, words[1], _MM_PERM_CCAA);
    const __m512i words23 =
        _mm512_mask_shuffle_epi32(words[2], kUpperHalves, words[3], _MM_PERM_CCAA);
    out[0] = _mm512_unpacklo_epi64(words01, words23);
    out[1] = _mm512_unpackhi_epi64(words01, words23);
  }
};

}  // namespace
}  // namespace pacbench::trainer::raw

#include "trainer/kernels/cpu/random_words.h"  // uses what stands above
