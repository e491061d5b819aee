#pragma once

#include <cstdint>

#include "trainer/kernels/lanes.h"
#include "trainer/kernels/mask_kernels.h"
#include "trainer/kernels/philox.h"

namespace pacbench::trainer::raw {

/// Sixteen levels, at whole numbers from 0 to at most 30 on a scale that covers [-limit, limit] in
/// places[15] steps of `step`.
struct LevelTable {
  std::uint8_t places[16];  ///< ascending, the first is 0
  float limit;
  float step;
};

/// For each whole place on a LevelTable's scale: the numbers that rounding to one of the two
/// neighbouring levels needs. A value's place is rounded up to find its row.
struct NeighbourTable {
  static constexpr int kPlaces = 32;

  explicit NeighbourTable(const LevelTable& table);

  float low[kPlaces];           ///< place of the lower neighbour
  float gap[kPlaces];           ///< distance from the lower neighbour to the upper one
  std::int32_t level[kPlaces];  ///< number of the lower neighbour
};

/// The CPU kernels with which methods encode and decode gradients: random numbers, signs, levels,
/// the Hadamard transform, and finding the largest values. A GPU does this work by torch's own
/// functions, except that random numbers are made on the CPU and copied. No kernel reads or writes
/// beyond the number of elements that it is given.
struct CodeKernels {
  /// Writes the uniform numbers in [0, 1) of elements `first` to `first` + `count` - 1 of the
  /// stream.
  void (*uniform)(const PhiloxStream& stream, std::int64_t first, std::int64_t count, float* out);

  /// Sets bit i % 8 of byte i / 8 where value i >= 0; bits behind the last value's are 0.
  void (*pack_signs)(const float* values, std::int64_t count, std::uint8_t* bytes);
  /// Adds `size` to each value whose bit is set, and -`size` to the others. Value i has bit number
  /// `first` + i.
  void (*add_signs)(const std::uint8_t* bytes, std::int64_t first, float size, std::int64_t count,
                    float* values);

  /// The whole part of |v| · levels_per_unit + uniform, at most `levels`, with the sign of v. A
  /// product that is no number counts as 0.
  void (*floor_levels)(const float* values, std::int64_t count, float levels_per_unit, int levels,
                       const float* uniform, std::int8_t* digits);
  /// (number - offset) · factor.
  void (*scale_numbers)(const std::int16_t* numbers, int offset, float factor, std::int64_t count,
                        float* out);

  /// Clips to the table's limit and takes one of the two neighbouring levels: the upper one where
  /// uniform · gap < distance to the lower one. What is no number gets level 14.
  void (*table_levels)(const float* values, std::int64_t count, const LevelTable& table,
                       const float* uniform, std::int8_t* levels);
  /// Each byte holds two levels. Adds the place of the level in byte i's lower four bits to
  /// sums[i], and that of the level in its upper four bits to sums[bytes + i].
  void (*add_places)(const std::uint8_t* packed, std::int64_t bytes, const LevelTable& table,
                     std::int16_t* sums);

  /// Multiplies a row of 2^k values by the Hadamard matrix of ±1, in place. Neighbours are added
  /// first, then pairs, and so on.
  void (*hadamard)(float* row, std::int64_t size);

  /// Writes the indices, ascending, of values whose magnitude's bits are at least `bound`, and
  /// returns how many. `indices` has room for `count` of them, and `count` is below 2^32.
  std::int64_t (*at_least)(const float* values, std::int64_t count, std::uint32_t bound,
                           std::uint32_t* indices);
};

extern const CodeKernels kPlainCodes;
extern const CodeKernels kAvx2Codes;
extern const CodeKernels kAvx512Codes;

/// Instruction sets that kernels are written for, each including the ones before it.
enum class Isa { kPlain, kAvx2, kAvx512 };
inline constexpr Isa kAllIsas[] = {Isa::kPlain, Isa::kAvx2, Isa::kAvx512};

struct KernelTable {
  const MaskKernels& masks;
  const RoundingKernels& rounding;
  const LaneKernelsByWidth& lanes;
  const CodeKernels* codes = nullptr;  ///< null in the table of a GPU
};

/// The kernels written for `isa`; null when this CPU, or this build, lacks it.
const KernelTable* kernel_table(Isa isa);

/// The widest instruction set that this CPU and this build have.
Isa widest_isa();
const KernelTable& widest_kernels();
const CodeKernels& widest_codes();

const char* name_of(Isa isa);

}  // namespace pacbench::trainer::raw
