#include "trainer/encoding/sparse_code.h"

#include <ATen/Functions.h>

#include <bit>
#include <cstring>

namespace pacbench::trainer {
namespace {

// Bits are packed one after the other, the lowest of a byte first. They are read in words of 64
// bits, the lowest byte first; the last word may be cut short.
static_assert(std::endian::native == std::endian::little);

std::uint64_t word_at(const std::uint8_t* bytes, std::int64_t size, std::int64_t byte) {
  std::uint64_t word = 0;
  if (byte + 8 <= size) {
    std::memcpy(&word, bytes + byte, 8);
  } else if (byte < size) {
    std::memcpy(&word, bytes + byte, static_cast<std::size_t>(size - byte));
  }
  return word;
}

/// Sets the bits of `bits`, which is less than 2^57, in `bytes` from bit number `place` on.
void set_bits(std::uint8_t* bytes, std::int64_t place, std::uint64_t bits) {
  auto* at = bytes + place / 8;
  for (bits <<= place % 8; bits != 0; bits >>= 8) *at++ |= static_cast<std::uint8_t>(bits);
}

std::int64_t bits_of_gaps(std::int64_t elements, std::int64_t kept, int low_bits) {
  return ((elements - 1) >> low_bits) + kept;
}

}  // namespace

IndexCode::IndexCode(std::int64_t elements, std::int64_t kept) : kept_{kept} {
  std::int64_t least = elements;  // the bitmap's bits
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
      set_bits(out, indices[i], 1);
      continue;
    }
    const auto low = static_cast<std::uint64_t>(indices[i]) & low_mask();
    set_bits(out, i * low_bits_, low);
    set_bits(out, kept_ * low_bits_ + (indices[i] >> low_bits_) + i, 1);
  }
}

void IndexCode::decode(const std::uint8_t* code, std::int64_t* out) const {
  const auto first = kept_ * low_bits_;
  std::int64_t found = 0;
  for (auto byte = first / 8; found < kept_ && byte < bytes_; byte += 8) {
    auto word = word_at(code, bytes_, byte);
    if (byte == first / 8) word &= ~std::uint64_t{0} << (first % 8);
    for (; word != 0 && found < kept_; word &= word - 1) {
      const auto place = byte * 8 + std::countr_zero(word) - first;
      if (!gaps_) {
        out[found++] = place;
        continue;
      }
      const auto low_place = found * low_bits_;
      const auto low = word_at(code, bytes_, low_place / 8) >> (low_place % 8) & low_mask();
      // The code sets the bit at an index's high bits plus the number of indices before it.
      out[found] = (place - found) << low_bits_ | static_cast<std::int64_t>(low);
      ++found;
    }
  }
}

SparseCode::SparseCode(std::int64_t elements, std::int64_t kept, bool packed)
    : kept_{kept}, packed_{packed}, index_code_{elements, kept} {}

/// Counts the words of the values' bits, then those of the places.
std::int64_t SparseCode::words() const {
  return kept_ + (packed_ ? (index_code_.bytes() + 3) / 4 : kept_);
}

at::Tensor SparseCode::encode(const at::Tensor& values, const at::Tensor& places) const {
  if (!packed_) return at::cat({values.view(at::kInt), places.to(at::kInt)});
  // A GPU's places are few enough to be coded on the host.
  const auto on_host = places.cpu();
  auto code = at::zeros({words() - kept_}, at::kInt);
  index_code_.encode(on_host.const_data_ptr<std::int64_t>(),
                     static_cast<std::uint8_t*>(code.mutable_data_ptr()));
  return at::cat({values.view(at::kInt), code.to(values.device())});
}

at::Tensor SparseCode::places_in(const at::Tensor& payload) const {
  const auto code = payload.narrow(0, kept_, words() - kept_);
  if (!packed_) return code;
  auto places = at::empty({kept_}, at::kLong);
  const auto on_host = code.cpu();
  index_code_.decode(static_cast<const std::uint8_t*>(on_host.const_data_ptr()),
                     places.mutable_data_ptr<std::int64_t>());
  return places.to(payload.device());
}

at::Tensor SparseCode::values_in(const at::Tensor& payload) const {
  return payload.narrow(0, 0, kept_).view(at::kFloat);
}

void SparseCode::add(const at::Tensor& payload, const at::Tensor& sum) const {
  const auto places = places_in(payload);
  const auto values = values_in(payload);
  if (!sum.is_cpu() || !packed_) {
    sum.index_add_(0, places, values);
    return;
  }
  const auto* place = places.const_data_ptr<std::int64_t>();
  const auto* value = values.const_data_ptr<float>();
  auto* sums = sum.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < kept_; ++i) sums[place[i]] += value[i];
}

}  // namespace pacbench::trainer
