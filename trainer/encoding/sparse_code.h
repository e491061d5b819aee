#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "trainer/encoding/index_code.h"

namespace pacbench::trainer {

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
