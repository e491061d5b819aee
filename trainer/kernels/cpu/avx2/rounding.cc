#include <immintrin.h>

#include "trainer/kernels/cpu/avx2/permutation.h"
#include "trainer/kernels/cpu/avx2/philox.h"
#include "trainer/kernels/rounding_kernels.h"

namespace pacbench::trainer::raw {
namespace {

__m256 magnitude(__m256 values) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), values); }

/// 16 sums of squares, one for each place modulo 16, and 8 largest magnitudes (their bits), one for
/// each place modulo 8.
struct RunningMoments {
  __m256d squares[4] = {};
  __m256i largest = {};

  void add(__m256 lower, __m256 upper) {
    const __m256d quarters[4] = {_mm256_cvtps_pd(_mm256_castps256_ps128(lower)),
                                 _mm256_cvtps_pd(_mm256_extractf128_ps(lower, 1)),
                                 _mm256_cvtps_pd(_mm256_castps256_ps128(upper)),
                                 _mm256_cvtps_pd(_mm256_extractf128_ps(upper, 1))};
    for (int i = 0; i < 4; ++i) {
      squares[i] = _mm256_add_pd(squares[i], _mm256_mul_pd(quarters[i], quarters[i]));
    }
    const __m256i larger = _mm256_max_epu32(_mm256_castps_si256(magnitude(lower)),
                                            _mm256_castps_si256(magnitude(upper)));
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

ChunkMoments chunk_moments(const float* values, const Mask& mask) {
  RunningMoments running;
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements; begin += 64) {
    const auto word = mask.words[begin / 64];
    const auto kept = [&](int i) {
      return _mm256_and_ps(lane_mask(byte_of(word, i)), _mm256_loadu_ps(values + begin + 8 * i));
    };
    for (int i = 0; i < 8; i += 2) running.add(kept(i), kept(i + 1));
  }
  // Reads nothing that is not kept, so nothing beyond the last element.
  const auto last = [&](int i) {
    const __m256 kept = lane_mask(byte_of(mask.words[begin / 64], i));
    return _mm256_maskload_ps(values + begin + 8 * i, _mm256_castps_si256(kept));
  };
  for (int i = 0; begin + 8 * i < mask.elements; i += 2) running.add(last(i), last(i + 1));
  return running.chunk();
}

Moments moments(const float* values, const Mask& mask) {
  return by_chunks(values, mask, chunk_moments);
}

/// Rounds 8 values as rounded() in rounded.h does, each by the random word of its element.
struct Rounding {
  __m256 levels_per_unit;
  __m256 levels;

  __m256i operator()(__m256 values, __m256i random) const {
    const __m256 scaled = _mm256_mul_ps(magnitude(values), levels_per_unit);
    // Where one operand is NaN, the maximum is the second operand, here 0.
    const __m256 clipped = _mm256_min_ps(_mm256_max_ps(scaled, _mm256_setzero_ps()), levels);
    const __m256i whole = _mm256_cvttps_epi32(clipped);
    const __m256 fraction = _mm256_sub_ps(clipped, _mm256_cvtepi32_ps(whole));
    const __m256 uniform =
        _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_srli_epi32(random, 8)), _mm256_set1_ps(0x1p-24F));
    const __m256i up = _mm256_castps_si256(_mm256_cmp_ps(uniform, fraction, _CMP_LT_OQ));
    const __m256i level = _mm256_sub_epi32(whole, up);
    // The level is negated where the value is negative; a level of 0 stays 0.
    const __m256i sign = _mm256_srai_epi32(_mm256_castps_si256(values), 31);
    return _mm256_sub_epi32(_mm256_xor_si256(level, sign), sign);
  }
};

/// Eight levels as bytes; those that `mask` keeps come first.
__m128i compacted_bytes(__m256i levels, unsigned mask) {
  const __m128i words =
      _mm_packs_epi32(_mm256_castsi256_si128(levels), _mm256_extracti128_si256(levels, 1));
  return _mm_shuffle_epi8(_mm_packs_epi16(words, words), byte_order(kPermutations.compact[mask]));
}

void quantise(const float* values, const Mask& mask, float levels_per_unit, int levels,
              const PhiloxStream& stream, std::int8_t* digits) {
  const Rounding rounding{_mm256_set1_ps(levels_per_unit),
                          _mm256_set1_ps(static_cast<float>(levels))};
  const RoundKeys keys{stream};
  const std::int8_t* const end = digits + mask.kept;
  std::int64_t begin = 0;
  const auto store = [&](int index, __m256i random) {
    const auto bits = byte_of(mask.words[begin / 64], index);
    const __m256 vector = _mm256_loadu_ps(values + begin + 8 * index);
    const __m128i kept = compacted_bytes(rounding(vector, random), bits);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(digits), kept);
    digits += __builtin_popcount(bits);
  };
  for (; begin + 64 <= mask.elements && end - digits >= 64; begin += 64) {
    if (mask.words[begin / 64] == 0) continue;
    for (int i = 0; i < 8; i += 4) {
      const RandomWords random{stream, keys, static_cast<std::uint32_t>(begin / 4 + 2 * i)};
      for (int j = 0; j < 4; ++j) store(i + j, random.parts[j]);
    }
  }
  PhiloxStream rest = stream;
  rest.counter[0] += static_cast<std::uint32_t>(begin / 4);
  kPlainRounding.quantise(values + begin,
                          {mask.words + begin / 64, mask.elements - begin, end - digits},
                          levels_per_unit, levels, rest, digits);
}

__m256i load_levels(const std::int8_t* levels) {
  return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(levels)));
}
__m256i load_levels(const std::int16_t* levels) {
  return _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(levels)));
}

template <typename Level, auto plain>
void scatter_levels(const Level* levels, const Mask& mask, float factor, float* out) {
  const Level* const end = levels + mask.kept;
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements && end - levels >= 64; begin += 64) {
    const auto word = mask.words[begin / 64];
    for (int i = 0; i < 8; ++i) {
      const auto bits = byte_of(word, i);
      const __m256 product =
          _mm256_mul_ps(_mm256_cvtepi32_ps(load_levels(levels)), _mm256_set1_ps(factor));
      _mm256_storeu_ps(out + begin + 8 * i, expanded(product, bits));
      levels += __builtin_popcount(bits);
    }
  }
  (kPlainRounding.*plain)(levels, {mask.words + begin / 64, mask.elements - begin, end - levels},
                          factor, out + begin);
}

}  // namespace

const RoundingKernels kAvx2Rounding{moments, quantise,
                                    scatter_levels<std::int8_t, &RoundingKernels::scatter_int8>,
                                    scatter_levels<std::int16_t, &RoundingKernels::scatter_int16>};

}  // namespace pacbench::trainer::raw
