// The loops take 8 values at a time: a byte of a mask word chooses their permutation.
#include "trainer/kernels/cpu/avx2/vectors.h"
#include "trainer/kernels/mask_kernels.h"

namespace pacbench::trainer::raw {
namespace {

// See cpu/mask_loops.h.
constexpr int kWidth = 8;
using Bits = unsigned;

std::uint64_t nonzero_bits(const float* values) {
  std::uint64_t word = 0;
  for (int i = 0; i < 8; ++i) {
    const __m256 vector = _mm256_loadu_ps(values + 8 * i);
    const __m256 bits = _mm256_cmp_ps(vector, _mm256_setzero_ps(), _CMP_NEQ_UQ);
    word |= std::uint64_t{static_cast<unsigned>(_mm256_movemask_ps(bits))} << (8 * i);
  }
  return word;
}

void store_compacted(const float* values, Bits bits, float* out) {
  const __m256i order = _mm256_cvtepu8_epi32(byte_order(kPermutations.compact[bits]));
  _mm256_storeu_ps(out, _mm256_permutevar8x32_ps(_mm256_loadu_ps(values), order));
}

void store_expanded(__m256 values, Bits bits, float* out) {
  const __m256i order = _mm256_cvtepi8_epi32(byte_order(kPermutations.expand[bits]));
  const __m256 expanded = _mm256_blendv_ps(_mm256_permutevar8x32_ps(values, order),
                                           _mm256_setzero_ps(), _mm256_castsi256_ps(order));
  _mm256_storeu_ps(out, expanded);
}

void store_expanded(const float* values, Bits bits, float* out) {
  store_expanded(_mm256_loadu_ps(values), bits, out);
}

__m256i load_levels(const std::int8_t* levels) {
  return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(levels)));
}
__m256i load_levels(const std::int16_t* levels) {
  return _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(levels)));
}

template <typename Level>
void store_expanded(const Level* levels, float factor, Bits bits, float* out) {
  store_expanded(_mm256_mul_ps(_mm256_cvtepi32_ps(load_levels(levels)), _mm256_set1_ps(factor)),
                 bits, out);
}

void zero_unkept(float* values, Bits bits) {
  _mm256_storeu_ps(values, _mm256_and_ps(_mm256_loadu_ps(values), lane_mask(bits)));
}

/// 16 sums of squares, one for each place modulo 16, and 8 largest magnitudes (their bits), one for
/// each place modulo 8.
struct RunningMoments {
  __m256d squares[4] = {};
  __m256i largest = {};

  void add(const float* values, std::uint64_t word) {
    const auto kept = [&](int first) {
      return _mm256_and_ps(lane_mask(static_cast<unsigned>(word >> first)),
                           _mm256_loadu_ps(values + first));
    };
    add(kept(0), kept(8));
  }
  void add_last(const float* values, std::uint64_t word) {
    const auto kept = [&](int first) {
      const __m256 lanes = lane_mask(static_cast<unsigned>(word >> first));
      return _mm256_maskload_ps(values + first, _mm256_castps_si256(lanes));
    };
    add(kept(0), kept(8));
  }
  void add(__m256 lower, __m256 upper) {
    const __m256d quarters[4] = {_mm256_cvtps_pd(_mm256_castps256_ps128(lower)),
                                 _mm256_cvtps_pd(_mm256_extractf128_ps(lower, 1)),
                                 _mm256_cvtps_pd(_mm256_castps256_ps128(upper)),
                                 _mm256_cvtps_pd(_mm256_extractf128_ps(upper, 1))};
    for (int i = 0; i < 4; ++i) {
      squares[i] = _mm256_add_pd(squares[i], _mm256_mul_pd(quarters[i], quarters[i]));
    }
    const __m256i larger = _mm256_max_epu32(_mm256_castps_si256(magnitudes(lower)),
                                            _mm256_castps_si256(magnitudes(upper)));
    largest = _mm256_max_epu32(largest, larger);
  }

  ChunkMoments chunk() const {
    ChunkMoments all{};
    for (int i = 0; i < 4; ++i) {
      _mm256_storeu_pd(all.squares + 4 * i, squares[i]);
    }
    std::uint32_t places[8];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(places), largest);
    for (const auto bits : places) {
      if (bits > all.largest_bits) all.largest_bits = bits;
    }
    return all;
  }
};

class Rounding {
 public:
  Rounding(float levels_per_unit, float levels)
      : levels_per_unit_{_mm256_set1_ps(levels_per_unit)}, levels_{_mm256_set1_ps(levels)} {}

  void store(const float* values, __m256i random, Bits bits, std::int8_t* digits) const {
    const __m128i kept = _mm_shuffle_epi8(as_bytes(rounded(_mm256_loadu_ps(values), random)),
                                          byte_order(kPermutations.compact[bits]));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(digits), kept);
  }

 private:
  __m256i rounded(__m256 values, __m256i random) const {
    const __m256 scaled = _mm256_mul_ps(magnitudes(values), levels_per_unit_);
    // Where one operand is NaN, the maximum is the second operand, here 0.
    const __m256 clipped = _mm256_min_ps(_mm256_max_ps(scaled, _mm256_setzero_ps()), levels_);
    const __m256i whole = _mm256_cvttps_epi32(clipped);
    const __m256 fraction = _mm256_sub_ps(clipped, _mm256_cvtepi32_ps(whole));
    const __m256 uniform = uniform_floats(random);
    const __m256i up = _mm256_castps_si256(_mm256_cmp_ps(uniform, fraction, _CMP_LT_OQ));
    const __m256i level = _mm256_sub_epi32(whole, up);
    // The level is negated where the value is negative; a level of 0 stays 0.
    const __m256i sign = _mm256_srai_epi32(_mm256_castps_si256(values), 31);
    return _mm256_sub_epi32(_mm256_xor_si256(level, sign), sign);
  }

  __m256 levels_per_unit_;
  __m256 levels_;
};

}  // namespace
}  // namespace pacbench::trainer::raw

#include "trainer/kernels/cpu/mask_loops.h"

namespace pacbench::trainer::raw {

const MaskKernels kAvx2Masks = kMasks;
const RoundingKernels kAvx2Rounding = kRounding;

}  // namespace pacbench::trainer::raw
