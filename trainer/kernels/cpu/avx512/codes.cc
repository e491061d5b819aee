#include "trainer/kernels/cpu/avx512/vectors.h"
#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer::raw {
namespace {

/// See cpu/code_loops.h.
struct Floats {
  static constexpr int kLanes = 16;

  __m512 lanes;

  static Floats load(const float* values) { return {_mm512_loadu_ps(values)}; }
  static Floats broadcast(float value) { return {_mm512_set1_ps(value)}; }
  static Floats of_words(__m512i random) { return {uniform_floats(random)}; }
  static Floats of_numbers(const std::int16_t* numbers) {
    const __m256i narrow = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers));
    return {_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(narrow))};
  }
  static Floats least(Floats a, Floats b) { return {_mm512_min_ps(a.lanes, b.lanes)}; }
  static Floats most(Floats a, Floats b) { return {_mm512_max_ps(a.lanes, b.lanes)}; }
  static Floats chosen(std::uint32_t bits, Floats yes, Floats no) {
    return {_mm512_mask_blend_ps(static_cast<__mmask16>(bits), no.lanes, yes.lanes)};
  }

  void store(float* values) const { _mm512_storeu_ps(values, lanes); }
  void store_bytes(std::int8_t* digits) const {
    const __m128i bytes = _mm512_cvtepi32_epi8(_mm512_cvttps_epi32(lanes));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(digits), bytes);
  }
  Floats operator+(Floats other) const { return {_mm512_add_ps(lanes, other.lanes)}; }
  Floats operator-(Floats other) const { return {_mm512_sub_ps(lanes, other.lanes)}; }
  Floats operator*(Floats other) const { return {_mm512_mul_ps(lanes, other.lanes)}; }
  Floats operator/(Floats other) const { return {_mm512_div_ps(lanes, other.lanes)}; }
  Floats floor() const {
    return {_mm512_roundscale_ps(lanes, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
  }
  Floats ceil() const {
    return {_mm512_roundscale_ps(lanes, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)};
  }
  Floats magnitude() const { return {_mm512_abs_ps(lanes)}; }
  Floats with_sign_of(Floats other) const {
    const __m512 zero = _mm512_setzero_ps();
    const __mmask16 positive = _mm512_cmp_ps_mask(other.lanes, zero, _CMP_GT_OQ);
    const __mmask16 negative = _mm512_cmp_ps_mask(other.lanes, zero, _CMP_LT_OQ);
    const __m512 kept = _mm512_maskz_mov_ps(positive, lanes);
    return {_mm512_mask_sub_ps(kept, negative, zero, lanes)};
  }
  std::uint32_t not_negative() const {
    return _mm512_cmp_ps_mask(lanes, _mm512_setzero_ps(), _CMP_GE_OQ);
  }
  std::uint32_t less(Floats other) const {
    return _mm512_cmp_ps_mask(lanes, other.lanes, _CMP_LT_OQ);
  }
  std::uint32_t magnitude_bits_at_least(std::uint32_t bound) const {
    const __m512i bits = _mm512_castps_si512(_mm512_abs_ps(lanes));
    return _mm512_cmpge_epu32_mask(bits, _mm512_set1_epi32(static_cast<int>(bound)));
  }
};

class Neighbours {
 public:
  explicit Neighbours(const NeighbourTable& table)
      : low_{table.low}, gap_{table.gap}, level_{table.level} {}

  struct Found {
    Floats low, gap, level;
  };
  Found at(Floats places) const {
    // NaN converts to 2^31 as an unsigned number, so the minimum gives it the last row.
    const __m512i index = _mm512_min_epu32(_mm512_cvttps_epi32(places.lanes),
                                           _mm512_set1_epi32(NeighbourTable::kPlaces - 1));
    return {{low_[index]}, {gap_[index]}, {_mm512_cvtepi32_ps(_mm512_castps_si512(level_[index]))}};
  }

 private:
  struct Column {
    __m512 first;
    __m512 second;

    explicit Column(const void* numbers)
        : first{_mm512_loadu_ps(numbers)},
          second{_mm512_loadu_ps(static_cast<const float*>(numbers) + 16)} {}
    __m512 operator[](__m512i index) const { return _mm512_permutex2var_ps(first, index, second); }
  };

  Column low_, gap_, level_;
};

class PlacesOfBytes {
 public:
  static constexpr int kBytes = 64;

  explicit PlacesOfBytes(const LevelTable& table)
      : places_{_mm512_broadcast_i32x4(
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(table.places)))} {}

  void add(const std::uint8_t* packed, std::int16_t* lower, std::int16_t* upper) const {
    const __m512i bytes = _mm512_loadu_si512(packed);
    add_levels(bytes, lower);
    add_levels(_mm512_srli_epi16(bytes, 4), upper);
  }

 private:
  void add_levels(__m512i bytes, std::int16_t* sums) const {
    const __m512i levels = _mm512_and_si512(bytes, _mm512_set1_epi8(15));
    const __m512i places = _mm512_shuffle_epi8(places_, levels);
    add_half(_mm512_castsi512_si256(places), sums);
    add_half(_mm512_extracti64x4_epi64(places, 1), sums + 32);
  }
  static void add_half(__m256i places, std::int16_t* sums) {
    const __m512i sum = _mm512_add_epi16(_mm512_loadu_si512(sums), _mm512_cvtepu8_epi16(places));
    _mm512_storeu_si512(sums, sum);
  }

  __m512i places_;
};

/// Stores `first` + i for each lane i whose bit is set, and arbitrary numbers behind these.
void store_places(std::uint32_t bits, std::uint32_t first, std::uint32_t* places) {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i all = _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(first)));
  _mm512_storeu_si512(places, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), all));
}

}  // namespace
}  // namespace pacbench::trainer::raw

#include "trainer/kernels/cpu/code_loops.h"

namespace pacbench::trainer::raw {

const CodeKernels kAvx512Codes = kCodes;

}  // namespace pacbench::trainer::raw
