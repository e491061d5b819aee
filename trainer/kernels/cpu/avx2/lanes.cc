#include <immintrin.h>

#include "trainer/kernels/lanes.h"

namespace pacbench::trainer::raw {
namespace {

/// 64 numbers of 16 bits, see cpu/lane_loops.h.
struct Int16s {
  __m256i parts[4];

  template <typename PartOf>
  static Int16s of(PartOf part_of) {
    return {{part_of(0), part_of(1), part_of(2), part_of(3)}};
  }
  static Int16s broadcast(int number) {
    return of([=](int) { return _mm256_set1_epi16(static_cast<short>(number)); });
  }
  static Int16s load(const std::int8_t* digits) {
    return of([=](int i) {
      const auto* from = reinterpret_cast<const __m128i*>(digits + 16 * i);
      return _mm256_cvtepi8_epi16(_mm_loadu_si128(from));
    });
  }
  static Int16s load(const std::int16_t* totals) {
    return of([=](int i) {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(totals + 16 * i));
    });
  }
  void store(std::int16_t* totals) const {
    for (int i = 0; i < 4; ++i) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(totals + 16 * i), parts[i]);
    }
  }
  Int16s operator+(const Int16s& other) const {
    return of([&](int i) { return _mm256_add_epi16(parts[i], other.parts[i]); });
  }
  Int16s operator-(const Int16s& other) const {
    return of([&](int i) { return _mm256_sub_epi16(parts[i], other.parts[i]); });
  }
  Int16s operator&(const Int16s& other) const {
    return of([&](int i) { return _mm256_and_si256(parts[i], other.parts[i]); });
  }
  Int16s up(int bits) const {
    return of([&](int i) { return _mm256_sll_epi16(parts[i], _mm_cvtsi32_si128(bits)); });
  }
  Int16s down(int bits) const {
    return of([&](int i) { return _mm256_srl_epi16(parts[i], _mm_cvtsi32_si128(bits)); });
  }
};

/// Words of one byte: one piece is the whole word.
struct ByteWords {
  static constexpr int kPieceBits = 8;
  static const LaneKernels& plain() { return kPlainLanes.bytes; }

  __m256i halves[2];

  static ByteWords load(const void* packed, std::int64_t word) {
    const auto* from = static_cast<const std::uint8_t*>(packed) + word;
    return {{_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)),
             _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32))}};
  }
  void store(void* packed, std::int64_t word) const {
    auto* to = static_cast<std::uint8_t*>(packed) + word;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), halves[0]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32), halves[1]);
  }
  ByteWords minus(const ByteWords& other) const {
    return {
        {_mm256_sub_epi8(halves[0], other.halves[0]), _mm256_sub_epi8(halves[1], other.halves[1])}};
  }
  void push(const Int16s& piece, int) {
    for (int i = 0; i < 2; ++i) {
      // The packing instruction works on each half of a vector by itself.
      const __m256i packed = _mm256_packus_epi16(piece.parts[2 * i], piece.parts[2 * i + 1]);
      halves[i] = _mm256_permute4x64_epi64(packed, 0b11'01'10'00);
    }
  }
  Int16s piece(int) const {
    return {{_mm256_cvtepu8_epi16(_mm256_castsi256_si128(halves[0])),
             _mm256_cvtepu8_epi16(_mm256_extracti128_si256(halves[0], 1)),
             _mm256_cvtepu8_epi16(_mm256_castsi256_si128(halves[1])),
             _mm256_cvtepu8_epi16(_mm256_extracti128_si256(halves[1], 1))}};
  }
};

/// Words of eight bytes.
struct LongWords {
  static constexpr int kPieceBits = 16;
  static const LaneKernels& plain() { return kPlainLanes.longs; }

  __m256i quads[16];

  static LongWords load(const void* packed, std::int64_t word) {
    const auto* from = static_cast<const std::uint64_t*>(packed) + word;
    LongWords words;
    for (int i = 0; i < 16; ++i) {
      words.quads[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 4 * i));
    }
    return words;
  }
  void store(void* packed, std::int64_t word) const {
    auto* to = static_cast<std::uint64_t*>(packed) + word;
    for (int i = 0; i < 16; ++i) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 4 * i), quads[i]);
    }
  }
  LongWords minus(const LongWords& other) const {
    LongWords difference;
    for (int i = 0; i < 16; ++i) {
      difference.quads[i] = _mm256_sub_epi64(quads[i], other.quads[i]);
    }
    return difference;
  }
  void push(const Int16s& piece, int bits) {
    const __m128i count = _mm_cvtsi32_si128(bits);
    for (int i = 0; i < 16; ++i) {
      const __m256i part = piece.parts[i / 4];
      const __m128i half =
          i % 4 < 2 ? _mm256_castsi256_si128(part) : _mm256_extracti128_si256(part, 1);
      const __m128i quarter = i % 2 == 0 ? half : _mm_srli_si128(half, 8);
      quads[i] = _mm256_or_si256(_mm256_sll_epi64(quads[i], count), _mm256_cvtepu16_epi64(quarter));
    }
  }
  Int16s piece(int shift) const {
    const __m128i count = _mm_cvtsi32_si128(shift);
    const __m256i low = _mm256_set1_epi64x(0xFFFF);
    return Int16s::of([&](int part) {
      const auto quad = [&](int i) {
        return _mm256_and_si256(_mm256_srl_epi64(quads[4 * part + i], count), low);
      };
      // Packing by halves of vectors leaves words 0 1 4 5 8 9 12 13 and 2 3 6 7 10 11 14 15.
      const __m256i packed = _mm256_packus_epi32(_mm256_packus_epi32(quad(0), quad(1)),
                                                 _mm256_packus_epi32(quad(2), quad(3)));
      return _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    });
  }
};

}  // namespace
}  // namespace pacbench::trainer::raw

#include "trainer/kernels/cpu/lane_loops.h"

namespace pacbench::trainer::raw {

const LaneKernelsByWidth kAvx2Lanes{kKernels<ByteWords>, kKernels<LongWords>};

}  // namespace pacbench::trainer::raw
