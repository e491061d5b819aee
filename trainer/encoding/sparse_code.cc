#include "trainer/encoding/sparse_code.h"

#include <ATen/Functions.h>

namespace pacbench::trainer {

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
