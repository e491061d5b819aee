#include <immintrin.h>

#include "trainer/kernels/lanes.h"

namespace pacbench::trainer::raw {
namespace {

/// 64 numbers of 16 bits, see cpu/lane_loops.h.
struct Int16s {
  __m512i parts[2];

  template <typename PartOf>
  static Int16s of(PartOf part_of) {
    return {{part_of(0), part_of(1)}};
  }
  static Int16s broadcast(int number) {
    return of([=](int) { return _mm512_set1_epi16(static_cast<short>(number)); });
  }
  static Int16s load(const std::int8_t* digits) {
    return of([=](int i) {
      const auto* from = reinterpret_cast<const __m256i*>(digits + 32 * i);
      return _mm512_cvtepi8_epi16(_mm256_loadu_si256(from));
    });
  }
  static Int16s load(const std::int16_t* totals) {
    return of([=](int i) { return _mm512_loadu_si512(totals + 32 * i); });
  }
  void store(std::int16_t* totals) const {
    for (int i = 0; i < 2; ++i) _mm512_storeu_si512(totals + 32 * i, parts[i]);
  }
  Int16s operator+(const Int16s& other) const {
    return of([&](int i) { return _mm512_add_epi16(parts[i], other.parts[i]); });
  }
  Int16s operator-(const Int16s& other) const {
    return of([&](int i) { return _mm512_sub_epi16(parts[i], other.parts[i]); });
  }
  Int16s operator&(const Int16s& other) const {
    return of([&](int i) { return _mm512_and_si512(parts[i], other.parts[i]); });
  }
  Int16s up(int bits) const {
    return of([&](int i) { return _mm512_sll_epi16(parts[i], _mm_cvtsi32_si128(bits)); });
  }
  Int16s down(int bits) const {
    return of([&](int i) { return _mm512_srl_epi16(parts[i], _mm_cvtsi32_si128(bits)); });
  }
};

/// Words of one byte: one piece is the whole word.
struct ByteWords {
  static constexpr int kPieceBits = 8;
  static const LaneKernels& plain() { return kPlainLanes.bytes; }

  __m512i bytes;

  static ByteWords load(const void* packed, std::int64_t word) {
    return {_mm512_loadu_si512(static_cast<const std::uint8_t*>(packed) + word)};
  }
  void store(void* packed, std::int64_t word) const {
    _mm512_storeu_si512(static_cast<std::uint8_t*>(packed) + word, bytes);
  }
  ByteWords minus(const ByteWords& other) const { return {_mm512_sub_epi8(bytes, other.bytes)}; }
  void push(const Int16s& piece, int) {
    bytes = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi16_epi8(piece.parts[0])),
                               _mm512_cvtepi16_epi8(piece.parts[1]), 1);
  }
  Int16s piece(int) const {
    return {{_mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes)),
             _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(bytes, 1))}};
  }
};

/// Words of eight bytes.
struct LongWords {
  static constexpr int kPieceBits = 16;
  static const LaneKernels& plain() { return kPlainLanes.longs; }

  __m512i octets[8];

  static LongWords load(const void* packed, std::int64_t word) {
    LongWords words;
    for (int i = 0; i < 8; ++i) {
      words.octets[i] =
          _mm512_loadu_si512(static_cast<const std::uint64_t*>(packed) + word + 8 * i);
    }
    return words;
  }
  void store(void* packed, std::int64_t word) const {
    for (int i = 0; i < 8; ++i) {
      _mm512_storeu_si512(static_cast<std::uint64_t*>(packed) + word + 8 * i, octets[i]);
    }
  }
  LongWords minus(const LongWords& other) const {
    LongWords difference;
    for (int i = 0; i < 8; ++i) {
      difference.octets[i] = _mm512_sub_epi64(octets[i], other.octets[i]);
    }
    return difference;
  }
  void push(const Int16s& piece, int bits) {
    const __m128i count = _mm_cvtsi32_si128(bits);
    const auto put = [&](int octet, __m128i numbers) {
      octets[octet] =
          _mm512_or_si512(_mm512_sll_epi64(octets[octet], count), _mm512_cvtepu16_epi64(numbers));
    };
    for (int i = 0; i < 2; ++i) {
      put(4 * i, _mm512_castsi512_si128(piece.parts[i]));
      put(4 * i + 1, _mm512_extracti32x4_epi32(piece.parts[i], 1));
      put(4 * i + 2, _mm512_extracti32x4_epi32(piece.parts[i], 2));
      put(4 * i + 3, _mm512_extracti32x4_epi32(piece.parts[i], 3));
    }
  }
  Int16s piece(int shift) const {
    const __m128i count = _mm_cvtsi32_si128(shift);
    const auto low = [&](int octet) {
      return _mm512_cvtepi64_epi16(_mm512_srl_epi64(octets[octet], count));
    };
    const auto two = [&](int octet) { return _mm256_set_m128i(low(octet + 1), low(octet)); };
    return Int16s::of([&](int i) {
      return _mm512_inserti64x4(_mm512_castsi256_si512(two(4 * i)), two(4 * i + 2), 1);
    });
  }
};

}  // namespace
}  // namespace pacbench::trainer::raw

#include "trainer/kernels/cpu/lane_loops.h"

namespace pacbench::trainer::raw {

const LaneKernelsByWidth kAvx512Lanes{kKernels<ByteWords>, kKernels<LongWords>};

}  // namespace pacbench::trainer::raw
