#pragma once

#include <cstdint>

namespace pacbench::trainer {

/// The layout of small unsigned numbers that share words: lane j of word i holds element
/// j · words + i, so that loops over words vectorise (planar). Lanes begin at the lowest bit.
struct LaneLayout {
  int bits = 8;        ///< of a lane, 1 to 16
  int word_bytes = 1;  ///< 1 or 8: the size of the integers that an all-reduce adds

  int lanes() const;  ///< in a word
  std::int64_t words(std::int64_t elements) const;
  std::int64_t bytes(std::int64_t elements) const;

  /// The layout that wastes least for lanes of `bits` bits: words of 1 byte where lanes fill them
  /// (1, 2, 4, 8), else words of 8 bytes. Throws std::invalid_argument unless 1 <= bits <= 16.
  static LaneLayout of(int bits);

  bool operator==(const LaneLayout&) const = default;
};

/// The number of bits that numbers from 0 to `largest` need, at least 1.
int bits_for(std::int64_t largest);

namespace raw {

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

}  // namespace raw
}  // namespace pacbench::trainer
