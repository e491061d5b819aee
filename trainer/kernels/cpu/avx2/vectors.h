#pragma once

#include <immintrin.h>

#include "trainer/kernels/philox.h"

// Only files that are compiled for AVX2 include this header. Its names are in an anonymous
// namespace, so that each file has its own copies. Files for other CPUs define functions of the
// same names. If these were shared inline functions, the linker would keep one copy of each for the
// whole program, and some CPUs could not run that copy.
namespace pacbench::trainer::raw {
namespace {

/// For each byte of a mask the permutation of eight elements that it selects: byte i of a
/// permutation is the number of the element that goes to place i.
struct Permutations {
  std::uint64_t compact[256];
  std::uint64_t expand[256];  ///< 0x80 at places that are not kept
};

constexpr Permutations permutations() {
  Permutations all{};
  for (unsigned mask = 0; mask < 256; ++mask) {
    unsigned kept = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((mask >> bit & 1U) == 0) {
        all.expand[mask] |= std::uint64_t{0x80} << (8 * bit);
        continue;
      }
      all.compact[mask] |= std::uint64_t{bit} << (8 * kept);
      all.expand[mask] |= std::uint64_t{kept} << (8 * bit);
      ++kept;
    }
  }
  return all;
}

constexpr Permutations kPermutations = permutations();

inline __m128i byte_order(const std::uint64_t& order) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&order));
}

/// All bits set in the lanes that the lowest eight bits of `mask` keep.
inline __m256 lane_mask(unsigned mask) {
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i spread = _mm256_set1_epi32(static_cast<int>(mask));
  return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(spread, bits), bits));
}

inline __m256 magnitudes(__m256 values) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), values); }

/// Random words as numbers uniform in [0, 1).
inline __m256 uniform_floats(__m256i random) {
  return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_srli_epi32(random, 8)), _mm256_set1_ps(0x1p-24F));
}

/// Stores whole numbers of 32 bits as the lowest eight bytes of the result.
inline __m128i as_bytes(__m256i numbers) {
  const __m128i words =
      _mm_packs_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
  return _mm_packs_epi16(words, words);
}

using Words = __m256i;

inline __m256i broadcast(std::uint32_t word) { return _mm256_set1_epi32(static_cast<int>(word)); }

/// Four blocks at once, each word in the lower half of a 64-bit lane. The product of two such lanes
/// reads only the lower halves, so the upper halves need no clearing.
struct PhiloxBlocks {
  static constexpr std::uint32_t kBlocks = 4;

  __m256i words[4];

  PhiloxBlocks(const PhiloxStream& stream, std::uint32_t first_block) {
    // The blocks are in the order that `interleave` needs.
    const __m256i order = _mm256_setr_epi64x(0, 2, 1, 3);
    words[0] = _mm256_add_epi32(order, broadcast(stream.counter[0] + first_block));
    for (int i = 1; i < 4; ++i) words[i] = broadcast(stream.counter[i]);
  }

  static __m256i upper_xor(__m256i product, __m256i word, __m256i key) {
    return _mm256_xor_si256(_mm256_srli_epi64(product, 32), _mm256_xor_si256(word, key));
  }

  void mix(__m256i key0, __m256i key1) {
    const __m256i product0 = _mm256_mul_epu32(words[0], broadcast(Philox4x32::kMultiplier0));
    const __m256i product1 = _mm256_mul_epu32(words[2], broadcast(Philox4x32::kMultiplier1));
    words[0] = upper_xor(product1, words[1], key0);
    words[1] = product1;
    words[2] = upper_xor(product0, words[3], key1);
    words[3] = product0;
  }

  /// Writes the words block after block, the four words of a block side by side: word e % 4 of
  /// block e / 4 belongs to element e.
  void interleave(__m256i* out) const {
    constexpr int kUpperHalves = 0xAA;
    const __m256i words01 =
        _mm256_blend_epi32(words[0], _mm256_slli_epi64(words[1], 32), kUpperHalves);
    const __m256i words23 =
        _mm256_blend_epi32(words[2], _mm256_slli_epi64(words[3], 32), kUpperHalves);
    out[0] = _mm256_unpacklo_epi64(words01, words23);
    out[1] = _mm256_unpackhi_epi64(words01, words23);
  }
};

}  // namespace
}  // namespace pacbench::trainer::raw

#include "trainer/kernels/cpu/random_words.h"  // uses what stands above
