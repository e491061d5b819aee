#include "trainer/kernels/cpu/avx2/vectors.h"
#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer::raw {
namespace {

/// See cpu/code_loops.h.
struct Floats {
  static constexpr int kLanes = 8;

  __m256 lanes;

  static Floats load(const float* values) { return {_mm256_loadu_ps(values)}; }
  static Floats broadcast(float value) { return {_mm256_set1_ps(value)}; }
  static Floats of_words(__m256i random) { return {uniform_floats(random)}; }
  static Floats of_numbers(const std::int16_t* numbers) {
    const __m128i narrow = _mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers));
    return {_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(narrow))};
  }
  static Floats least(Floats a, Floats b) { return {_mm256_min_ps(a.lanes, b.lanes)}; }
  static Floats most(Floats a, Floats b) { return {_mm256_max_ps(a.lanes, b.lanes)}; }
  static Floats chosen(std::uint32_t bits, Floats yes, Floats no) {
    return {_mm256_blendv_ps(no.lanes, yes.lanes, lane_mask(bits))};
  }

  void store(float* values) const { _mm256_storeu_ps(values, lanes); }
  void store_bytes(std::int8_t* digits) const {
    const __m128i bytes = as_bytes(_mm256_cvttps_epi32(lanes));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(digits), bytes);
  }
  Floats operator+(Floats other) const { return {_mm256_add_ps(lanes, other.lanes)}; }
  Floats operator-(Floats other) const { return {_mm256_sub_ps(lanes, other.lanes)}; }
  Floats operator*(Floats other) const { return {_mm256_mul_ps(lanes, other.lanes)}; }
  Floats operator/(Floats other) const { return {_mm256_div_ps(lanes, other.lanes)}; }
  Floats floor() const { return {_mm256_floor_ps(lanes)}; }
  Floats ceil() const { return {_mm256_ceil_ps(lanes)}; }
  Floats magnitude() const { return {magnitudes(lanes)}; }
  Floats with_sign_of(Floats other) const {
    const __m256 zero = _mm256_setzero_ps();
    const __m256 sign = _mm256_and_ps(_mm256_set1_ps(-0.0F), other.lanes);
    const __m256 kept = _mm256_cmp_ps(other.lanes, zero, _CMP_NEQ_OQ);
    return {_mm256_and_ps(kept, _mm256_xor_ps(lanes, sign))};
  }
  std::uint32_t not_negative() const {
    return bits_of(_mm256_cmp_ps(lanes, _mm256_setzero_ps(), _CMP_GE_OQ));
  }
  std::uint32_t less(Floats other) const {
    return bits_of(_mm256_cmp_ps(lanes, other.lanes, _CMP_LT_OQ));
  }
  std::uint32_t magnitude_bits_at_least(std::uint32_t bound) const {
    const __m256i bits = _mm256_castps_si256(magnitude().lanes);
    const __m256i least = _mm256_max_epu32(bits, _mm256_set1_epi32(static_cast<int>(bound)));
    return bits_of(_mm256_castsi256_ps(_mm256_cmpeq_epi32(least, bits)));
  }

 private:
  static std::uint32_t bits_of(__m256 lane_masks) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(lane_masks));
  }
};

struct Neighbours {
  const NeighbourTable& table;

  struct Found {
    Floats low, gap, level;
  };
  Found at(Floats places) const {
    // NaN converts to 2^31 as an unsigned number, so the minimum gives it the last row.
    const __m256i index = _mm256_min_epu32(_mm256_cvttps_epi32(places.lanes),
                                           _mm256_set1_epi32(NeighbourTable::kPlaces - 1));
    return {{_mm256_i32gather_ps(table.low, index, 4)},
            {_mm256_i32gather_ps(table.gap, index, 4)},
            {_mm256_cvtepi32_ps(_mm256_i32gather_epi32(table.level, index, 4))}};
  }
};

class PlacesOfBytes {
 public:
  static constexpr int kBytes = 32;

  explicit PlacesOfBytes(const LevelTable& table)
      : places_{_mm256_broadcastsi128_si256(
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(table.places)))} {}

  void add(const std::uint8_t* packed, std::int16_t* lower, std::int16_t* upper) const {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(packed));
    add_levels(bytes, lower);
    add_levels(_mm256_srli_epi16(bytes, 4), upper);
  }

 private:
  void add_levels(__m256i bytes, std::int16_t* sums) const {
    const __m256i levels = _mm256_and_si256(bytes, _mm256_set1_epi8(15));
    const __m256i places = _mm256_shuffle_epi8(places_, levels);
    add_half(_mm256_castsi256_si128(places), sums);
    add_half(_mm256_extracti128_si256(places, 1), sums + 16);
  }
  static void add_half(__m128i places, std::int16_t* sums) {
    auto* const to = reinterpret_cast<__m256i*>(sums);
    _mm256_storeu_si256(to, _mm256_add_epi16(_mm256_loadu_si256(to), _mm256_cvtepu8_epi16(places)));
  }

  __m256i places_;
};

/// Stores `first` + i for each lane i whose bit is set, without gaps. Always writes eight numbers;
/// those after the stored ones are arbitrary.
void store_places(std::uint32_t bits, std::uint32_t first, std::uint32_t* places) {
  const __m256i lanes = _mm256_cvtepu8_epi32(byte_order(kPermutations.compact[bits]));
  const __m256i kept = _mm256_add_epi32(lanes, _mm256_set1_epi32(static_cast<int>(first)));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(places), kept);
}

}  // namespace
}  // namespace pacbench::trainer::raw

#include "trainer/kernels/cpu/code_loops.h"

namespace pacbench::trainer::raw {

const CodeKernels kAvx2Codes = kCodes;

}  // namespace pacbench::trainer::raw
