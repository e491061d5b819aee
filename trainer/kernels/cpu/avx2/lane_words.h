#pragma once

#include <immintrin.h>

#include "trainer/kernels/lane_kernels.h"

// Included by files that are compiled for AVX2 only, hence no name of it leaves them.
namespace pacbench::raw {
namespace {

/// Sixteen words of one byte. One piece is the whole word.
struct ByteWords {
  static constexpr int kPieceBits = 8;

  __m128i bytes = {};

  static const LaneKernels& plain() { return kPlainLanes.bytes; }
  static ByteWords load(const void* packed, std::int64_t word) {
    const auto* from = static_cast<const std::uint8_t*>(packed) + word;
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))};
  }
  void store(void* packed, std::int64_t word) const {
    auto* to = static_cast<std::uint8_t*>(packed) + word;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes);
  }
  ByteWords minus(const ByteWords& other) const { return {_mm_sub_epi8(bytes, other.bytes)}; }

  void push(__m256i piece, int) {
    bytes = _mm_packus_epi16(_mm256_castsi256_si128(piece), _mm256_extracti128_si256(piece, 1));
  }
  __m256i piece(int) const { return _mm256_cvtepu8_epi16(bytes); }
};

/// Sixteen words of eight bytes.
struct LongWords {
  static constexpr int kPieceBits = 16;

  __m256i quads[4] = {};

  static const LaneKernels& plain() { return kPlainLanes.longs; }
  static LongWords load(const void* packed, std::int64_t word) {
    const auto* from = static_cast<const std::uint64_t*>(packed) + word;
    LongWords words;
    for (int i = 0; i < 4; ++i) {
      words.quads[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 4 * i));
    }
    return words;
  }
  void store(void* packed, std::int64_t word) const {
    auto* to = static_cast<std::uint64_t*>(packed) + word;
    for (int i = 0; i < 4; ++i) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 4 * i), quads[i]);
    }
  }
  LongWords minus(const LongWords& other) const {
    LongWords difference;
    for (int i = 0; i < 4; ++i) {
      difference.quads[i] = _mm256_sub_epi64(quads[i], other.quads[i]);
    }
    return difference;
  }

  /// Shifts the words up by `bits` and puts a number below 2^bits in.
  void push(__m256i piece, int bits) {
    const __m128i count = _mm_cvtsi32_si128(bits);
    const __m128i halves[2] = {_mm256_castsi256_si128(piece), _mm256_extracti128_si256(piece, 1)};
    for (int i = 0; i < 4; ++i) {
      const __m128i half = i % 2 == 0 ? halves[i / 2] : _mm_srli_si128(halves[i / 2], 8);
      quads[i] = _mm256_or_si256(_mm256_sll_epi64(quads[i], count), _mm256_cvtepu16_epi64(half));
    }
  }

  /// Sixteen bits from `shift` on of every word.
  __m256i piece(int shift) const {
    const __m128i count = _mm_cvtsi32_si128(shift);
    const __m256i low = _mm256_set1_epi64x(0xFFFF);
    __m256i parts[4];
    for (int i = 0; i < 4; ++i) {
      parts[i] = _mm256_and_si256(_mm256_srl_epi64(quads[i], count), low);
    }
    // Packing goes by halves of vectors: words 0 1 4 5 8 9 12 13, 2 3 6 7 10 11 14 15.
    const __m256i packed = _mm256_packus_epi32(_mm256_packus_epi32(parts[0], parts[1]),
                                               _mm256_packus_epi32(parts[2], parts[3]));
    return _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }
};

}  // namespace
}  // namespace pacbench::raw
