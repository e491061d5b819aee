#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace pacbench::trainer {

/// Encodes which `kept` of `elements` elements a rank sends. The code is Elias-Fano's (Elias 1974,
/// doi 10.1145/321812.321820; Vigna 2013, arXiv 1206.4300, section 3): the low bits of each index
/// as they are, and the gaps between the high bits in unary. It takes about log2(elements / kept) +
/// 2 bits an index; a bitmap replaces it where the bitmap is shorter. The code's length depends on
/// `elements` and `kept` alone, and not on the indices: an all-gather needs one length on all
/// ranks.
class IndexCode {
 public:
  /// `kept` is from 1 to `elements`.
  IndexCode(std::int64_t elements, std::int64_t kept);

  std::int64_t bytes() const { return bytes_; }

  /// `indices` ascend. Writes bytes() bytes.
  void encode(const std::int64_t* indices, std::uint8_t* out) const;

  /// Writes `kept` ascending indices.
  void decode(const std::uint8_t* code, std::int64_t* out) const;

 private:
  std::uint64_t low_mask() const { return (std::uint64_t{1} << low_bits_) - 1; }

  std::int64_t kept_;
  int low_bits_ = 0;   ///< how many low bits of each index are written as they are
  bool gaps_ = false;  ///< whether this is Elias-Fano's code; else it is a bitmap
  std::int64_t bytes_;
};

/// A code of `kept` out of `elements` entries in words of 32 bits: their float32 values, then their
/// places, as IndexCode or as four bytes each. Its length is the same whatever the entries.
class SparseCode {
 public:
  SparseCode(std::int64_t elements, std::int64_t kept, bool packed = true);

  std::int64_t kept() const { return kept_; }
  std::int64_t words() const;

  /// Encodes `values` (float[kept]) at `places` (ascending int64[kept]) as int32[words].
  at::Tensor encode(const at::Tensor& values, const at::Tensor& places) const;
  /// The places and values of a payload, as encode() got them; int32 places when not packed.
  at::Tensor places_in(const at::Tensor& payload) const;
  at::Tensor values_in(const at::Tensor& payload) const;
  /// Adds the entries in `payload` to `sum`, float[elements].
  void add(const at::Tensor& payload, const at::Tensor& sum) const;

 private:
  std::int64_t kept_;
  bool packed_;
  IndexCode index_code_;
};

}  // namespace pacbench::trainer
