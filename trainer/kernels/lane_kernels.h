#pragma once

#include <cstdint>

#include "trainer/kernels/lanes.h"

namespace pacbench::raw {

/// The elements whose lanes lie in words [first_word, layout.words(elements)).
struct LaneRange {
  LaneLayout layout;
  std::int64_t elements = 0;  ///< in all words
  std::int64_t first_word = 0;
};

/// Packing digits into lanes, see trainer/kernels/kernels.h. Words are bytes or words of 8 bytes as
/// the layout says; lanes that hold no element are 0.
struct LaneKernels {
  void (*pack)(const std::int8_t* digits, int offset, const LaneRange& range, void* words);
  void (*unpack_sums)(const void* words, const void* own_words, const std::int8_t* own_digits,
                      int offset, int ranks, const LaneRange& range, std::int16_t* sums);
  void (*add)(const void* words, const LaneRange& range, std::int16_t* totals);
  void (*pack_totals)(const std::int16_t* totals, const LaneRange& range, void* words);
  void (*unpack_totals)(const void* words, const std::int8_t* own_digits, int offset, int ranks,
                        const LaneRange& range, std::int16_t* sums);
};

extern const LaneKernels kPlainLanes;

}  // namespace pacbench::raw
