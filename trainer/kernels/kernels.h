#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "trainer/kernels/lanes.h"
#include "trainer/kernels/mask_kernels.h"
#include "trainer/kernels/philox.h"

namespace pacbench::trainer {

/// The arithmetic of methods on gradients, element by element. Every function runs on the device of
/// its tensors: on a CPU with its widest instructions, on a GPU in torch's current stream. Only
/// kept_bits(words, elements) counts the bits of a GPU's words on the CPU, in a copy. All
/// implementations give the same bits as the plain one. Tensors are contiguous and taken as
/// one-dimensional. A tensor of another type, length or device than is expected throws
/// std::invalid_argument.

/// The elements of one parameter's gradient that are kept, as bits.
struct KeptBits {
  at::Tensor words;  ///< int64[ceil(elements / 64)]: element i is bit i % 64 of word i / 64; the
                     ///< unused bits of the last word are 0
  std::int64_t elements = 0;
  std::int64_t kept = 0;  ///< how many bits are set
};

/// Bits, on `device`, that keep every element.
KeptBits keep_all(std::int64_t elements, c10::Device device = c10::kCPU);
/// Converts bool[n] to bits.
KeptBits kept_bits(const at::Tensor& mask);
/// Returns `words` (int64[ceil(elements / 64)], unused bits 0) with the count of the bits that are
/// set. Throws std::invalid_argument when an unused bit is set.
KeptBits kept_bits(at::Tensor words, std::int64_t elements);
/// The bits of the elements of float[n] that are not zero; NaN counts as not zero.
KeptBits nonzero_bits(const at::Tensor& values);

/// Copies the kept elements of float[elements] to float[kept], in order.
void compact(const at::Tensor& values, const KeptBits& kept, at::Tensor out);
/// Copies float[kept] to the kept places of float[elements]; other places become zero.
void scatter(const at::Tensor& values, const KeptBits& kept, at::Tensor out);
/// Sets what is not kept to zero, in place, whatever it was (infinite, NaN).
void zero_outside(at::Tensor values, const KeptBits& kept);
/// Whether any element that is not kept differs from zero.
bool any_outside(const at::Tensor& values, const KeptBits& kept);

/// The moments of the kept elements of float[elements].
Moments moments(const at::Tensor& values, const KeptBits& kept);

/// Rounds the kept elements by chance to whole levels in [-levels, levels]: `digits`, int8[kept].
/// x = |v| · levels_per_unit, at most `levels`, is rounded up with probability p = x - floor(x),
/// else down, and gets the sign of v. Element i is rounded up when its uniform number in stream
/// `key` is below p; i counts all elements of the parameter, kept or not. With levels = 1 digits
/// are TernGrad's ternary ones. Throws std::invalid_argument unless 1 <= levels <= 127.
void quantise(const at::Tensor& values, const KeptBits& kept, float levels_per_unit, int levels,
              const RandomKey& key, at::Tensor digits);

/// Copies int8[kept] or int16[kept], times `factor`, to the kept places of float[elements]; other
/// places become zero.
void scatter_levels(const at::Tensor& levels, const KeptBits& kept, float factor, at::Tensor out);

/// The functions below are for lanes (kernels/lanes.h). `words` is uint8 or int64 as `layout` says,
/// and layout.words(count) long. A layout that LaneLayout::of() does not make throws
/// std::invalid_argument.
/// Packs digits[i] + offset, which is not negative, into the lane of element i.
void pack(const at::Tensor& digits, int offset, const LaneLayout& layout, at::Tensor words);

/// Unpacks the sums of N ranks' digits from the sum of their packed words, whatever carries went
/// from lane to lane. That sum minus this rank's words holds the sum of the other ranks' digits and
/// offsets, which fits the lanes. `sums` (int16[count]) gets the lane of (words - own_words), plus
/// own digit + offset, minus ranks · offset.
void unpack_sums(const at::Tensor& words, const at::Tensor& own_words, const at::Tensor& own_digits,
                 int offset, int ranks, const LaneLayout& layout, at::Tensor sums);

/// Adds the lanes of `words` to `totals`, int16[count].
void add_lanes(const at::Tensor& words, const LaneLayout& layout, at::Tensor totals);
/// Packs int16[count], which may have wrapped around, modulo 2^bits (bits at most 16), into lanes.
void pack_totals(const at::Tensor& totals, const LaneLayout& layout, at::Tensor words);
/// Unpacks the sums of N ranks' digits from what pack_totals packed. The other ranks' share of a
/// total fits a lane, so this rank's digit tells which total is meant modulo 2^bits. `sums`
/// (int16[count]) gets ((lane - own digit - offset) mod 2^bits) + own digit + offset - ranks ·
/// offset.
void unpack_totals(const at::Tensor& words, const at::Tensor& own_digits, int offset, int ranks,
                   const LaneLayout& layout, at::Tensor sums);

}  // namespace pacbench::trainer
