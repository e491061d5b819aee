#include "trainer/methods/sparse_entries.h"

#include <ATen/Functions.h>

namespace pacbench::trainer {

SparseEntries::SparseEntries(std::int64_t elements, std::int64_t kept, bool packed)
    : kept_{kept}, packed_{packed}, code_{elements, kept} {}

Task<> SparseEntries::average(at::Tensor own, at::Tensor places, bool takes_them, at::Tensor mean,
                              Group& group) const {
  const auto sent = encode(own.index_select(0, places), places);
  if (takes_them) own.index_fill_(0, places, 0);

  const auto gathered = co_await group.all_gather(sent);

  mean.zero_();
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto theirs = gathered.narrow(0, words() * rank, words());
    mean.index_add_(0, places_in(theirs), values_in(theirs));
  }
  mean.div_(group.size());
}

/// The values' bits, then the places.
std::int64_t SparseEntries::words() const {
  return kept_ + (packed_ ? (code_.bytes() + 3) / 4 : kept_);
}

at::Tensor SparseEntries::encode(const at::Tensor& values, const at::Tensor& places) const {
  if (!packed_) return at::cat({values.view(at::kInt), places.to(at::kInt)});
  // A GPU's places are few enough to be coded on the host.
  const auto on_host = places.cpu();
  auto code = at::zeros({words() - kept_}, at::kInt);
  code_.encode(on_host.const_data_ptr<std::int64_t>(),
               static_cast<std::uint8_t*>(code.mutable_data_ptr()));
  return at::cat({values.view(at::kInt), code.to(values.device())});
}

at::Tensor SparseEntries::places_in(const at::Tensor& payload) const {
  const auto code = payload.narrow(0, kept_, words() - kept_);
  if (!packed_) return code;
  auto places = at::empty({kept_}, at::kLong);
  const auto on_host = code.cpu();
  code_.decode(static_cast<const std::uint8_t*>(on_host.const_data_ptr()),
               places.mutable_data_ptr<std::int64_t>());
  return places.to(payload.device());
}

at::Tensor SparseEntries::values_in(const at::Tensor& payload) const {
  return payload.narrow(0, 0, kept_).view(at::kFloat);
}

}  // namespace pacbench::trainer
