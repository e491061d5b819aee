#pragma once

#include <cstdint>

namespace pacbench {

/// How small unsigned numbers share words: lane j of word i holds element j · words + i, so that
/// loops over words vectorise (planar). Lanes begin at the lowest bit.
struct LaneLayout {
  int bits = 8;        ///< of a lane, 1 to 16
  int word_bytes = 1;  ///< 1 or 8: what an integer all-reduce adds without carries between words

  int lanes() const { return word_bytes * 8 / bits; }
  std::int64_t words(std::int64_t elements) const { return (elements + lanes() - 1) / lanes(); }
  std::int64_t bytes(std::int64_t elements) const { return words(elements) * word_bytes; }

  /// The layout of least bytes for lanes of at least `bits` bits: bytes when they are shared
  /// without waste or hold one lane of 8, else words of 8 bytes.
  static LaneLayout of(int bits);
};

/// Bits that tell 0 … `largest` apart.
int bits_for(std::int64_t largest);

}  // namespace pacbench
