#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "trainer/kernels/kernel_table.h"

namespace pacbench::trainer {

/// Signs, the Hadamard transform, and rounding to levels where scales differ from block to block or
/// to levels of a table. A CPU does it with its widest instructions, a GPU by torch's own
/// functions; every way gives the same bits. Tensors are contiguous, and one-dimensional where
/// nothing else is said.

/// Bytes of `count` signs: a whole number of words of 32 bits, so that floats may follow.
constexpr std::int64_t sign_bytes(std::int64_t count) { return (count + 31) / 32 * 4; }

/// float[n] to uint8[sign_bytes(n)]: bit i % 8 of byte i / 8 is set where element i is not
/// negative. A zero counts as positive, and what is not a number as negative.
at::Tensor pack_signs(const at::Tensor& values);

/// Adds `size` to each element of float[n] whose bit is set, and -`size` to the others. The n bits
/// begin at bit `first` of `packed`.
void add_signs(const at::Tensor& packed, std::int64_t first, float size, at::Tensor values);

/// Returns a new tensor: each row of float[rows, 2^k] times the orthonormal Hadamard matrix, which
/// is its own inverse. Sums are made in the same order on every CPU.
at::Tensor hadamard(const at::Tensor& rows);

/// Rounds float[n] to int8[n], by blocks of n / m: the whole part of |v| · levels_per_unit +
/// uniform, at most `levels`, with the sign of v. `levels_per_unit` is float[m], `uniform`
/// float[n]. A product that is no number counts as 0.
at::Tensor floor_levels(const at::Tensor& values, const at::Tensor& levels_per_unit, int levels,
                        const at::Tensor& uniform);

/// int16[n] to float[n]: (number - offset) · factor, by blocks of n / m; `factors` is float[m].
at::Tensor scale_numbers(const at::Tensor& numbers, int offset, const at::Tensor& factors);

/// Rounds float[n] to the numbers of levels, int8[n]. Each value, clipped to the table's limit,
/// goes to one of its two neighbouring levels, as its uniform number (float[n]) decides.
at::Tensor table_levels(const at::Tensor& values, const raw::LevelTable& table,
                        const at::Tensor& uniform);

/// Adds the places of n levels to int16[n]. Byte i of `packed` (uint8[n / 2]) holds level i in its
/// lower four bits, and level n / 2 + i in its upper four.
void add_places(const at::Tensor& packed, const raw::LevelTable& table, const at::Tensor& sums);

}  // namespace pacbench::trainer
