// The plain C++ version, which defines the results of every other implementation.
#include <algorithm>
#include <bit>

#include "trainer/kernels/mask_kernels.h"

namespace pacbench::trainer::raw {
namespace {

constexpr std::uint32_t kMagnitudeBits = 0x7FFFFFFFU;

bool is_kept(const Mask& mask, std::int64_t element) {
  return (mask.words[element / 64] >> (element % 64) & 1) != 0;
}

/// Calls `visit` with every kept element, in order; a word without kept elements costs one test.
template <typename Visit>
void for_each_kept(const Mask& mask, Visit visit) {
  for (std::int64_t word = 0; word * 64 < mask.elements; ++word) {
    for (auto bits = mask.words[word]; bits != 0; bits &= bits - 1) {
      visit(word * 64 + std::countr_zero(bits));
    }
  }
}

std::int64_t nonzero(const float* values, std::int64_t elements, std::uint64_t* words) {
  std::int64_t set = 0;
  for (std::int64_t begin = 0; begin < elements; begin += 64) {
    const std::int64_t count = std::min<std::int64_t>(64, elements - begin);
    std::uint64_t word = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      word |= std::uint64_t{values[begin + i] != 0} << i;
    }
    words[begin / 64] = word;
    set += std::popcount(word);
  }
  return set;
}

void compact(const float* values, const Mask& mask, float* out) {
  for_each_kept(mask, [&](std::int64_t element) { *out++ = values[element]; });
}

void scatter(const float* values, const Mask& mask, float* out) {
  std::fill_n(out, mask.elements, 0.0F);
  for_each_kept(mask, [&](std::int64_t element) { out[element] = *values++; });
}

void zero_outside(float* values, const Mask& mask) {
  for (std::int64_t i = 0; i < mask.elements; ++i) {
    if (!is_kept(mask, i)) values[i] = 0;
  }
}

bool any_outside(const float* values, const Mask& mask) {
  for (std::int64_t i = 0; i < mask.elements; ++i) {
    if (!is_kept(mask, i) && values[i] != 0) return true;
  }
  return false;
}

ChunkMoments chunk_moments(const float* values, const Mask& mask) {
  ChunkMoments chunk{};
  for_each_kept(mask, [&](std::int64_t element) {
    const float value = values[element];
    chunk.squares[element % ChunkMoments::kLanes] += double{value} * double{value};
    chunk.largest_bits =
        std::max(chunk.largest_bits, std::bit_cast<std::uint32_t>(value) & kMagnitudeBits);
  });
  return chunk;
}

Moments moments(const float* values, const Mask& mask) {
  return by_chunks(values, mask, chunk_moments);
}

void quantise(const float* values, const Mask& mask, float levels_per_unit, int levels,
              const PhiloxStream& stream, std::int8_t* digits) {
  for (std::int64_t word = 0; word * 64 < mask.elements; ++word) {
    if (mask.words[word] == 0) continue;
    const philox_detail::Lanes random{stream, static_cast<std::uint32_t>(word * 16)};
    for (auto bits = mask.words[word]; bits != 0; bits &= bits - 1) {
      const int bit = std::countr_zero(bits);
      *digits++ = rounded(values[word * 64 + bit], levels_per_unit, static_cast<float>(levels),
                          uniform_float(random.word[bit % 4][bit / 4]));
    }
  }
}

template <typename Level>
void scatter_levels(const Level* levels, const Mask& mask, float factor, float* out) {
  std::fill_n(out, mask.elements, 0.0F);
  for_each_kept(
      mask, [&](std::int64_t element) { out[element] = static_cast<float>(*levels++) * factor; });
}

}  // namespace

void add_chunk(const ChunkMoments& chunk, Moments& total) {
  ChunkMoments folding = chunk;
  for (int half = ChunkMoments::kLanes / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) folding.squares[lane] += folding.squares[lane + half];
  }
  total.sum_of_squares += folding.squares[0];
  const auto largest_bits = std::bit_cast<std::uint32_t>(total.largest);
  total.largest = std::bit_cast<float>(std::max(largest_bits, chunk.largest_bits));
}

Moments by_chunks(const float* values, const Mask& mask,
                  ChunkMoments (*of_chunk)(const float* values, const Mask& mask)) {
  Moments total;
  for (std::int64_t begin = 0; begin < mask.elements; begin += ChunkMoments::kElements) {
    const auto elements = std::min(ChunkMoments::kElements, mask.elements - begin);
    add_chunk(of_chunk(values + begin, {mask.words + begin / 64, elements, 0}), total);
  }
  return total;
}

const MaskKernels kPlainMasks{nonzero, compact, scatter, zero_outside, any_outside};

const RoundingKernels kPlainRounding{moments, quantise, scatter_levels<std::int8_t>,
                                     scatter_levels<std::int16_t>};

}  // namespace pacbench::trainer::raw
