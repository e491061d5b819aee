#include "trainer/methods/mask_tracker.h"

#include <ATen/Functions.h>

#include "trainer/kernels/bits.h"

namespace pacbench {

MaskTracker::MaskTracker(std::int64_t elements, std::int64_t stable_after)
    : elements_{elements},
      stable_after_{stable_after},
      packed_{at::zeros({(elements + 7) / 8}, at::kByte)},
      kept_{at::empty({0}, at::kLong)} {}

at::Tensor MaskTracker::propose(const at::Tensor& gradient) const {
  return pack_bits(gradient.ne(0)).bitwise_or_(packed_);
}

void MaskTracker::agree(const at::Tensor& packed) {
  unchanged_ = at::equal(packed, packed_) ? unchanged_ + 1 : 1;
  packed_ = packed;
  stable_ = unchanged_ >= stable_after_;
  if (stable_) kept_ = unpack_bits(packed_, elements_).nonzero().flatten();
}

void MaskTracker::reopen() {
  stable_ = false;
  stable_after_ = 1;
}

}  // namespace pacbench
