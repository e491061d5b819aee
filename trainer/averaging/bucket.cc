#include "trainer/averaging/bucket.h"

#include <ATen/Functions.h>

namespace pacbench::trainer {

at::Tensor BucketLayout::mask() const {
  at::Tensor whole;
  for (const auto& slice : slices) {
    if (!slice.mask.defined()) continue;
    if (!whole.defined()) whole = at::ones({elements}, at::kBool);
    whole.narrow(0, slice.offset, slice.elements).copy_(slice.mask);
  }
  return whole;
}

}  // namespace pacbench::trainer
