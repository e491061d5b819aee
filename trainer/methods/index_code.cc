#include "trainer/methods/index_code.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pacbench::trainer {
namespace {

/// Bits that stand one after the other, the lowest of a byte first.
void set_bit(std::uint8_t* bytes, std::int64_t place) {
  bytes[place / 8] = static_cast<std::uint8_t>(bytes[place / 8] | 1U << (place % 8));
}

bool bit(const std::uint8_t* bytes, std::int64_t place) {
  return (bytes[place / 8] >> (place % 8) & 1) != 0;
}

/// Calls `visit` with the place of every set bit among the first `bits`, in order.
template <typename Visit>
void for_each_set(const std::uint8_t* bytes, std::int64_t bits, Visit visit) {
  for (std::int64_t byte = 0; byte * 8 < bits; ++byte) {
    for (unsigned rest = bytes[byte]; rest != 0; rest &= rest - 1) {
      visit(byte * 8 + std::countr_zero(rest));
    }
  }
}

std::int64_t bits_of_gaps(std::int64_t elements, std::int64_t kept, int low_bits) {
  return ((elements - 1) >> low_bits) + kept;
}

}  // namespace

IndexCode::IndexCode(std::int64_t elements, std::int64_t kept) : kept_{kept} {
  std::int64_t least = elements;  // of the bitmap
  for (int low_bits = 0; elements >> low_bits > 0; ++low_bits) {
    const auto bits = bits_of_gaps(elements, kept, low_bits) + kept * low_bits;
    if (bits >= least) continue;
    least = bits;
    low_bits_ = low_bits;
    gaps_ = true;
  }
  bytes_ = (least + 7) / 8;
}

void IndexCode::encode(const std::int64_t* indices, std::uint8_t* out) const {
  std::memset(out, 0, static_cast<std::size_t>(bytes_));
  for (std::int64_t i = 0; i < kept_; ++i) {
    if (!gaps_) {
      set_bit(out, indices[i]);
      continue;
    }
    for (int low = 0; low < low_bits_; ++low) {
      if ((indices[i] >> low & 1) != 0) set_bit(out, i * low_bits_ + low);
    }
    set_bit(out, kept_ * low_bits_ + (indices[i] >> low_bits_) + i);
  }
}

void IndexCode::decode(const std::uint8_t* code, std::int64_t* out) const {
  // A bit of the gaps stands as many places further as there are indices before it.
  const auto first = kept_ * low_bits_;
  std::int64_t found = 0;
  for_each_set(code, bytes_ * 8, [&](std::int64_t place) {
    if (place < first || found == kept_) return;
    const auto high = gaps_ ? place - first - found : place;
    std::int64_t index = high << low_bits_;
    for (int low = 0; low < low_bits_; ++low) {
      if (bit(code, found * low_bits_ + low)) index |= std::int64_t{1} << low;
    }
    out[found++] = index;
  });
}

}  // namespace pacbench::trainer
