// The loops take 16 values at a time: a quarter of a mask word is their mask register. Loads are of
// whole vectors, except at a chunk's end: masked loads keep some CPUs (Zen 5) from prefetching.
#include "trainer/kernels/cpu/avx512/vectors.h"
#include "trainer/kernels/mask_kernels.h"

namespace pacbench::trainer::raw {
namespace {

// See cpu/mask_loops.h.
constexpr int kWidth = 16;
using Bits = __mmask16;

std::uint64_t nonzero_bits(const float* values) {
  std::uint64_t word = 0;
  for (int i = 0; i < 4; ++i) {
    const __m512 vector = _mm512_loadu_ps(values + 16 * i);
    const __mmask16 bits = _mm512_cmp_ps_mask(vector, _mm512_setzero_ps(), _CMP_NEQ_UQ);
    word |= std::uint64_t{bits} << (16 * i);
  }
  return word;
}

void store_compacted(const float* values, Bits bits, float* out) {
  _mm512_storeu_ps(out, _mm512_maskz_compress_ps(bits, _mm512_loadu_ps(values)));
}

void store_expanded(const float* values, Bits bits, float* out) {
  __m512 vector = _mm512_loadu_ps(values);
  // Without this line the compiler merges the load into the expansion, which makes it a masked
  // load.
  asm("" : "+v"(vector));
  _mm512_storeu_ps(out, _mm512_maskz_expand_ps(bits, vector));
}

__m512i load_levels(const std::int8_t* levels) {
  return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(levels)));
}
__m512i load_levels(const std::int16_t* levels) {
  return _mm512_cvtepi16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(levels)));
}

template <typename Level>
void store_expanded(const Level* levels, float factor, Bits bits, float* out) {
  const __m512i expanded = _mm512_maskz_expand_epi32(bits, load_levels(levels));
  const __m512 product =
      _mm512_maskz_mul_ps(bits, _mm512_cvtepi32_ps(expanded), _mm512_set1_ps(factor));
  _mm512_storeu_ps(out, product);
}

void zero_unkept(float* values, Bits bits) {
  _mm512_mask_storeu_ps(values, static_cast<Bits>(~bits), _mm512_setzero_ps());
}

/// Sums of squares of the elements whose places are the same modulo 16, and largest magnitudes.
struct RunningMoments {
  __m512d squares[2] = {};
  __m512i largest = {};

  void add(const float* values, std::uint64_t word) {
    const __m512 kept = _mm512_castsi512_ps(_mm512_movm_epi32(static_cast<Bits>(word)));
    add(_mm512_and_ps(kept, _mm512_loadu_ps(values)));
  }
  void add_last(const float* values, std::uint64_t word) {
    add(_mm512_maskz_loadu_ps(static_cast<Bits>(word), values));
  }
  void add(__m512 values) {
    const __m512d halves[2] = {_mm512_cvtps_pd(_mm512_castps512_ps256(values)),
                               _mm512_cvtps_pd(_mm512_extractf32x8_ps(values, 1))};
    for (int i = 0; i < 2; ++i) {
      // The square of a float is exact in a double, so that nothing is rounded but the sum.
      squares[i] = _mm512_fmadd_pd(halves[i], halves[i], squares[i]);
    }
    largest = _mm512_max_epu32(largest, _mm512_castps_si512(_mm512_abs_ps(values)));
  }

  ChunkMoments chunk() const {
    ChunkMoments all{};
    for (int i = 0; i < 2; ++i) {
      _mm512_storeu_pd(all.squares + 8 * i, squares[i]);
    }
    all.largest_bits = _mm512_reduce_max_epu32(largest);
    return all;
  }
};

class Rounding {
 public:
  Rounding(float levels_per_unit, float levels)
      : levels_per_unit_{_mm512_set1_ps(levels_per_unit)}, levels_{_mm512_set1_ps(levels)} {}

  void store(const float* values, __m512i random, Bits bits, std::int8_t* digits) const {
    const __m512i levels = rounded(_mm512_loadu_ps(values), random);
    const __m128i kept = _mm512_cvtepi32_epi8(_mm512_maskz_compress_epi32(bits, levels));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(digits), kept);
  }

 private:
  __m512i rounded(__m512 values, __m512i random) const {
    const __m512 scaled = _mm512_mul_ps(_mm512_abs_ps(values), levels_per_unit_);
    // Where one operand is NaN, the maximum is the second operand, here 0.
    const __m512 clipped = _mm512_min_ps(_mm512_max_ps(scaled, _mm512_setzero_ps()), levels_);
    const __m512i whole = _mm512_cvttps_epi32(clipped);
    const __m512 fraction = _mm512_sub_ps(clipped, _mm512_cvtepi32_ps(whole));
    const __m512 uniform = uniform_floats(random);
    const __mmask16 up = _mm512_cmp_ps_mask(uniform, fraction, _CMP_LT_OQ);
    const __m512i level = _mm512_mask_add_epi32(whole, up, whole, _mm512_set1_epi32(1));
    const __mmask16 negative = _mm512_movepi32_mask(_mm512_castps_si512(values));
    return _mm512_mask_sub_epi32(level, negative, _mm512_setzero_si512(), level);
  }

  __m512 levels_per_unit_;
  __m512 levels_;
};

}  // namespace
}  // namespace pacbench::trainer::raw

#include "trainer/kernels/cpu/mask_loops.h"

namespace pacbench::trainer::raw {

const MaskKernels kAvx512Masks = kMasks;
const RoundingKernels kAvx512Rounding = kRounding;

}  // namespace pacbench::trainer::raw
