#pragma once

#include "trainer/kernels/mask_kernels.h"

// Files that are compiled for one instruction set include this header, hence its names are local to
// each file. They first include that set's vectors.h and define, in namespace
// pacbench::trainer::raw and with internal linkage:
//
// kWidth: how many values a vector has. Bits: an integer with a bit for each of them.
// nonzero_bits(values): the bits of the non-zeros among 64 values.
// store_compacted(values, bits, out) moves the kept ones of a vector to the front of another.
// store_expanded(values, bits, out) moves the first values to the places that are kept; others
// become zero. store_expanded(levels, factor, bits, out) does it with levels times a factor.
// zero_unkept(values, bits) works in place.
// RunningMoments: add(values, word) adds those of 16 values that the lowest bits of `word` keep;
// add_last does too, and reads nothing else. chunk() gives the ChunkMoments.
// Rounding: store(values, random, bits, digits) rounds a vector by the random words of its elements
// as rounded() does, and stores the kept levels as bytes, without gaps.
//
// All read and write whole vectors, so the plain version takes over near the end.
namespace pacbench::trainer::raw {
namespace {

constexpr int kVectors = 64 / kWidth;  // in a mask word

/// The bits for the vector of this number among those of a mask word.
inline Bits bits_of(std::uint64_t word, int index) {
  return static_cast<Bits>(word >> (kWidth * index) & ((1U << kWidth) - 1));
}

/// The mask of the elements from `begin` on, a multiple of 64.
inline Mask rest_of(const Mask& mask, std::int64_t begin, std::int64_t kept) {
  return {mask.words + begin / 64, mask.elements - begin, kept};
}

std::int64_t nonzero(const float* values, std::int64_t elements, std::uint64_t* words) {
  std::int64_t set = 0;
  std::int64_t begin = 0;
  for (; begin + 64 <= elements; begin += 64) {
    const auto word = nonzero_bits(values + begin);
    words[begin / 64] = word;
    set += __builtin_popcountll(word);
  }
  return set + kPlainMasks.nonzero(values + begin, elements - begin, words + begin / 64);
}

void compact(const float* values, const Mask& mask, float* out) {
  const float* const end = out + mask.kept;
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements && end - out >= 64; begin += 64) {
    const auto word = mask.words[begin / 64];
    for (int i = 0; i < kVectors; ++i) {
      const Bits bits = bits_of(word, i);
      store_compacted(values + begin + kWidth * i, bits, out);
      out += __builtin_popcount(bits);
    }
  }
  kPlainMasks.compact(values + begin, rest_of(mask, begin, end - out), out);
}

/// Scatters values by `store`, and the last ones by `plain`.
template <typename Value, typename Store, typename Plain>
inline void scatter_by(const Value* values, const Mask& mask, float* out, Store store,
                       Plain plain) {
  const Value* const end = values + mask.kept;
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements && end - values >= 64; begin += 64) {
    const auto word = mask.words[begin / 64];
    for (int i = 0; i < kVectors; ++i) {
      const Bits bits = bits_of(word, i);
      store(values, bits, out + begin + kWidth * i);
      values += __builtin_popcount(bits);
    }
  }
  plain(values, rest_of(mask, begin, end - values), out + begin);
}

void scatter(const float* values, const Mask& mask, float* out) {
  const auto store = [](const float* from, Bits bits, float* to) {
    store_expanded(from, bits, to);
  };
  scatter_by(values, mask, out, store, kPlainMasks.scatter);
}

void zero_outside(float* values, const Mask& mask) {
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements; begin += 64) {
    const auto word = mask.words[begin / 64];
    for (int i = 0; i < kVectors; ++i) zero_unkept(values + begin + kWidth * i, bits_of(word, i));
  }
  kPlainMasks.zero_outside(values + begin, rest_of(mask, begin, 0));
}

bool any_outside(const float* values, const Mask& mask) {
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements; begin += 64) {
    if ((nonzero_bits(values + begin) & ~mask.words[begin / 64]) != 0) return true;
  }
  return kPlainMasks.any_outside(values + begin, rest_of(mask, begin, 0));
}

ChunkMoments chunk_moments(const float* values, const Mask& mask) {
  RunningMoments running;
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements; begin += 64) {
    const auto word = mask.words[begin / 64];
    for (int i = 0; i < 64; i += 16) running.add(values + begin + i, word >> i);
  }
  for (int i = 0; begin + i < mask.elements; i += 16) {
    running.add_last(values + begin + i, mask.words[begin / 64] >> i);
  }
  return running.chunk();
}

Moments moments(const float* values, const Mask& mask) {
  return by_chunks(values, mask, chunk_moments);
}

void quantise(const float* values, const Mask& mask, float levels_per_unit, int levels,
              const PhiloxStream& stream, std::int8_t* digits) {
  const Rounding rounding{levels_per_unit, static_cast<float>(levels)};
  const RoundKeys keys{stream};
  const std::int8_t* const end = digits + mask.kept;
  std::int64_t begin = 0;
  for (; begin + 64 <= mask.elements && end - digits >= 64; begin += 64) {
    const auto word = mask.words[begin / 64];
    if (word == 0) continue;
    for (int i = 0; i < kVectors; i += 4) {  // RandomWords has those of four vectors
      const auto first = begin + kWidth * i;
      const RandomWords random{stream, keys, static_cast<std::uint32_t>(first / 4)};
      for (int j = 0; j < 4; ++j) {
        const Bits bits = bits_of(word, i + j);
        rounding.store(values + first + kWidth * j, random.parts[j], bits, digits);
        digits += __builtin_popcount(bits);
      }
    }
  }
  PhiloxStream rest = stream;
  rest.counter[0] += static_cast<std::uint32_t>(begin / 4);
  kPlainRounding.quantise(values + begin, rest_of(mask, begin, end - digits), levels_per_unit,
                          levels, rest, digits);
}

template <typename Level, auto plain>
void scatter_levels(const Level* levels, const Mask& mask, float factor, float* out) {
  const auto store = [=](const Level* from, Bits bits, float* to) {
    store_expanded(from, factor, bits, to);
  };
  scatter_by(levels, mask, out, store, [=](const Level* rest, const Mask& rest_mask, float* to) {
    (kPlainRounding.*plain)(rest, rest_mask, factor, to);
  });
}

constexpr MaskKernels kMasks{nonzero, compact, scatter, zero_outside, any_outside};
constexpr RoundingKernels kRounding{moments, quantise,
                                    scatter_levels<std::int8_t, &RoundingKernels::scatter_int8>,
                                    scatter_levels<std::int16_t, &RoundingKernels::scatter_int16>};

}  // namespace
}  // namespace pacbench::trainer::raw
