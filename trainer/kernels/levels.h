#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "trainer/kernels/code_kernels.h"

namespace pacbench::trainer {

/// Rounding to levels where scales differ from block to block, and to levels of a table. A CPU does
/// it with its widest instructions, a GPU by torch's own functions; every way gives the same bits.
/// Tensors are contiguous and one-dimensional.

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
