#pragma once

#include <algorithm>
#include <cstdint>

#include "contract/worker/gloo.h"

namespace pacbench::simulate {

/// The segments into which Gloo's ring cuts a payload: equally many for each rank. The last ones
/// may be shorter or empty.
struct RingSegments {
  RingSegments(std::int64_t payload_bytes, std::int64_t of_element, std::int64_t ranks)
      : bytes{payload_bytes} {
    const auto most =
        of_element * std::max<std::int64_t>(gloo::kLargestSegmentBytes / of_element, 1);
    count = rounded_up(std::max((bytes + most - 1) / most, 2 * ranks), ranks);
    of_each = count / ranks;
    size = rounded_up((bytes + count - 1) / count, of_element);
  }

  /// The bytes of a segment; after the last segment the numbers start over with the first.
  std::int64_t bytes_of(std::int64_t number) const {
    return std::clamp<std::int64_t>(bytes - number % count * size, 0, size);
  }

  std::int64_t bytes;        ///< of the whole payload
  std::int64_t count = 0;    ///< of all segments
  std::int64_t of_each = 0;  ///< segments of each rank
  std::int64_t size = 0;     ///< bytes of a full segment

 private:
  static std::int64_t rounded_up(std::int64_t value, std::int64_t to) {
    return (value + to - 1) / to * to;
  }
};

}  // namespace pacbench::simulate
