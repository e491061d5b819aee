#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "trainer/kernels/lane_kernels.h"
#include "trainer/kernels/lanes.h"

namespace pacbench::trainer {

int LaneLayout::lanes() const { return word_bytes * 8 / bits; }

std::int64_t LaneLayout::words(std::int64_t elements) const {
  return (elements + lanes() - 1) / lanes();
}

std::int64_t LaneLayout::bytes(std::int64_t elements) const { return words(elements) * word_bytes; }

LaneLayout LaneLayout::of(int bits) {
  if (bits < 1 || bits > 16) {
    throw std::invalid_argument{
        fmt::format("found lanes of {} bits, expected 1 to 16; use fewer ranks or levels", bits)};
  }
  return {bits, 8 % bits == 0 ? 1 : 8};
}

int bits_for(std::int64_t largest) {
  return std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest))));
}

const raw::LaneKernels& raw::LaneKernelsByWidth::of(const LaneLayout& layout) const {
  return layout.word_bytes == 1 ? bytes : longs;
}

}  // namespace pacbench::trainer
