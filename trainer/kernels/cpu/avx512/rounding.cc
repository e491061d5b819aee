// Loads are of whole vectors, except at a chunk's end: masked loads keep some CPUs (Zen 5) from
// prefetching.
#include <immintrin.h>

#include "trainer/kernels/cpu/avx512/philox.h"
#include "trainer/kernels/rounding_kernels.h"

namespace pacbench::trainer::raw {
namespace {

__mmask16 quarter(std::uint64_t word, int index) {
  return static_cast<__mmask16>(word >> (16 * index));
}

/// Sums of squares of the elements whose places are the same modulo 16, and largest magnitudes.
struct RunningMoments {
  __m512d squares[2] = {};
  __m512i largest = {};

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

ChunkMoments chunk_moments(const float* values, const Mask& mask) {
  RunningMoments running;
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements; begin += 64) {
    const auto word = mask.words[begin / 64];
    for (int i = 0; i < 4; ++i) {
      const __m512 kept = _mm512_castsi512_ps(_mm512_movm_epi32(quarter(word, i)));
      running.add(_mm512_and_ps(kept, _mm512_loadu_ps(values + begin + 16 * i)));
    }
  }
  for (int i = 0; begin + 16 * i < mask.elements; ++i) {
    running.add(_mm512_maskz_loadu_ps(quarter(mask.words[begin / 64], i), values + begin + 16 * i));
  }
  return running.chunk();
}

Moments moments(const float* values, const Mask& mask) {
  return by_chunks(values, mask, chunk_moments);
}

/// Rounds 16 values with the random words of their elements, see rounded() in rounded.h.
struct Rounding {
  __m512 levels_per_unit;
  __m512 levels;

  __m512i operator()(__m512 values, __m512i random) const {
    const __m512 scaled = _mm512_mul_ps(_mm512_abs_ps(values), levels_per_unit);
    // Where one operand is NaN, the maximum is the second operand, here 0.
    const __m512 clipped = _mm512_min_ps(_mm512_max_ps(scaled, _mm512_setzero_ps()), levels);
    const __m512i whole = _mm512_cvttps_epi32(clipped);
    const __m512 fraction = _mm512_sub_ps(clipped, _mm512_cvtepi32_ps(whole));
    const __m512 uniform =
        _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_srli_epi32(random, 8)), _mm512_set1_ps(0x1p-24F));
    const __mmask16 up = _mm512_cmp_ps_mask(uniform, fraction, _CMP_LT_OQ);
    const __m512i level = _mm512_mask_add_epi32(whole, up, whole, _mm512_set1_epi32(1));
    const __mmask16 negative = _mm512_movepi32_mask(_mm512_castps_si512(values));
    return _mm512_mask_sub_epi32(level, negative, _mm512_setzero_si512(), level);
  }
};

void quantise(const float* values, const Mask& mask, float levels_per_unit, int levels,
              const PhiloxStream& stream, std::int8_t* digits) {
  const Rounding rounding{_mm512_set1_ps(levels_per_unit),
                          _mm512_set1_ps(static_cast<float>(levels))};
  const RoundKeys keys{stream};
  const std::int8_t* const end = digits + mask.kept;
  std::int64_t begin = 0;
  const auto store = [&](int index, __m512i random) {
    const __mmask16 bits = quarter(mask.words[begin / 64], index);
    const __m512 vector = _mm512_loadu_ps(values + begin + 16 * index);
    const __m512i kept = _mm512_maskz_compress_epi32(bits, rounding(vector, random));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(digits), _mm512_cvtepi32_epi8(kept));
    digits += __builtin_popcount(bits);
  };
  for (; begin + 64 <= mask.elements && end - digits >= 64; begin += 64) {
    if (mask.words[begin / 64] == 0) continue;
    const RandomWords random{stream, keys, static_cast<std::uint32_t>(begin / 4)};
    for (int i = 0; i < 4; ++i) store(i, random.parts[i]);
  }
  PhiloxStream rest = stream;
  rest.counter[0] += static_cast<std::uint32_t>(begin / 4);
  kPlainRounding.quantise(values + begin,
                          {mask.words + begin / 64, mask.elements - begin, end - digits},
                          levels_per_unit, levels, rest, digits);
}

__m512i load_levels(const std::int8_t* levels) {
  return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(levels)));
}
__m512i load_levels(const std::int16_t* levels) {
  return _mm512_cvtepi16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(levels)));
}

template <typename Level, auto plain>
void scatter_levels(const Level* levels, const Mask& mask, float factor, float* out) {
  const Level* const end = levels + mask.kept;
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements && end - levels >= 64; begin += 64) {
    const auto word = mask.words[begin / 64];
    for (int i = 0; i < 4; ++i) {
      const __mmask16 bits = quarter(word, i);
      const __m512i expanded = _mm512_maskz_expand_epi32(bits, load_levels(levels));
      const __m512 product =
          _mm512_maskz_mul_ps(bits, _mm512_cvtepi32_ps(expanded), _mm512_set1_ps(factor));
      _mm512_storeu_ps(out + begin + 16 * i, product);
      levels += __builtin_popcount(bits);
    }
  }
  (kPlainRounding.*plain)(levels, {mask.words + begin / 64, mask.elements - begin, end - levels},
                          factor, out + begin);
}

}  // namespace

const RoundingKernels kAvx512Rounding{
    moments, quantise, scatter_levels<std::int8_t, &RoundingKernels::scatter_int8>,
    scatter_levels<std::int16_t, &RoundingKernels::scatter_int16>};

}  // namespace pacbench::trainer::raw
