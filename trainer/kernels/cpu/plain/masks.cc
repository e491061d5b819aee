// The plain C++ version, which defines the results of every other implementation.
#include <algorithm>
#include <bit>

#include "trainer/kernels/mask_kernels.h"

namespace pacbench::trainer::raw {
namespace {

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

}  // namespace

const MaskKernels kPlainMasks{nonzero, compact, scatter, zero_outside, any_outside};

}  // namespace pacbench::trainer::raw
