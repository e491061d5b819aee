#pragma once

#include <cstdint>

#include "trainer/kernels/lanes.h"

namespace pacbench::trainer::raw {

/// The elements whose lanes lie in words [first_word, layout.words(elements)).
struct LaneRange {
  LaneLayout layout;
  std::int64_t elements = 0;  ///< in all words
  std::int64_t first_word = 0;
};

/// Kernels that pack digits into lanes of words of one width, add lanes and unpack them, see
/// trainer/kernels/kernels.h. Lanes that hold no element are 0. Nothing is read or written beyond
/// the words and elements.
struct LaneKernels {
  void (*pack)(const std::int8_t* digits, int offset, const LaneRange& range, void* words);
  void (*unpack_sums)(const void* words, const void* own_words, const std::int8_t* own_digits,
                      int offset, int ranks, const LaneRange& range, std::int16_t* sums);
  void (*add)(const void* words, const LaneRange& range, std::int16_t* totals);
  void (*pack_totals)(const std::int16_t* totals, const LaneRange& range, void* words);
  void (*unpack_totals)(const void* words, const std::int8_t* own_digits, int offset, int ranks,
                        const LaneRange& range, std::int16_t* sums);
};

struct LaneKernelsByWidth {
  LaneKernels bytes;
  LaneKernels longs;  ///< words of 8 bytes

  const LaneKernels& of(const LaneLayout& layout) const;
};

extern const LaneKernelsByWidth kPlainLanes;
extern const LaneKernelsByWidth kAvx2Lanes;
extern const LaneKernelsByWidth kAvx512Lanes;

}  // namespace pacbench::trainer::raw
