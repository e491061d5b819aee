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

}  // namespace pacbench::trainer
