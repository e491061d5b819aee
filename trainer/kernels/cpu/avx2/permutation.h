#pragma once

#include <immintrin.h>

#include <cstdint>

// Only files that are compiled for AVX2 include this header. Its names are in an anonymous
// namespace, so that each file has its own copies. Of a shared inline function the linker would
// keep one copy for the whole program, and some CPUs could not run that copy.
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

inline unsigned byte_of(std::uint64_t word, int index) { return word >> (8 * index) & 0xFF; }

/// Moves the values that `mask` keeps to the front.
inline __m256 compacted(__m256 values, unsigned mask) {
  const __m256i order = _mm256_cvtepu8_epi32(byte_order(kPermutations.compact[mask]));
  return _mm256_permutevar8x32_ps(values, order);
}

/// Moves the first values to the places that `mask` keeps; other places are zero.
inline __m256 expanded(__m256 values, unsigned mask) {
  const __m256i order = _mm256_cvtepi8_epi32(byte_order(kPermutations.expand[mask]));
  return _mm256_blendv_ps(_mm256_permutevar8x32_ps(values, order), _mm256_setzero_ps(),
                          _mm256_castsi256_ps(order));
}

/// All bits set in the lanes that `mask` keeps.
inline __m256 lane_mask(unsigned mask) {
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i spread = _mm256_set1_epi32(static_cast<int>(mask));
  return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(spread, bits), bits));
}

}  // namespace
}  // namespace pacbench::trainer::raw
