#include <algorithm>
#include <bit>

#include "trainer/kernels/rounded.h"
#include "trainer/kernels/rounding_kernels.h"

namespace pacbench::trainer::raw {
namespace {

constexpr std::uint32_t kMagnitudeBits = 0x7FFFFFFFU;

ChunkMoments chunk_moments(const float* values, const Mask& mask) {
  ChunkMoments chunk{};
  for (std::int64_t word = 0; word * 64 < mask.elements; ++word) {
    for (auto bits = mask.words[word]; bits != 0; bits &= bits - 1) {
      const int bit = std::countr_zero(bits);
      const float value = values[word * 64 + bit];
      const int lane = bit % ChunkMoments::kLanes;
      chunk.squares[lane] += double{value} * double{value};
      chunk.largest_bits =
          std::max(chunk.largest_bits, std::bit_cast<std::uint32_t>(value) & kMagnitudeBits);
    }
  }
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
  for (std::int64_t word = 0; word * 64 < mask.elements; ++word) {
    for (auto bits = mask.words[word]; bits != 0; bits &= bits - 1) {
      out[word * 64 + std::countr_zero(bits)] = static_cast<float>(*levels++) * factor;
    }
  }
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

const RoundingKernels kPlainRounding{moments, quantise, scatter_levels<std::int8_t>,
                                     scatter_levels<std::int16_t>};

}  // namespace pacbench::trainer::raw
