#include "trainer/averaging/mask_tracker.h"

#include <ATen/Functions.h>

namespace pacbench::trainer {

MaskTracker::MaskTracker(std::int64_t words, std::int64_t stable_after, c10::Device device)
    : needed_{stable_after},
      words_{at::zeros({words}, at::TensorOptions{device}.dtype(at::kLong))} {}

at::Tensor MaskTracker::propose(const at::Tensor& nonzeros) const {
  return nonzeros.bitwise_or(words_).view(at::kByte);
}

void MaskTracker::agree(const at::Tensor& joined) {
  const auto words = joined.view(at::kLong);
  unchanged_ = at::equal(words, words_) ? unchanged_ + 1 : 1;
  words_ = words;
}

void MaskTracker::reopen() {
  unchanged_ = 0;
  needed_ = 1;
}

void MaskTracker::visit_state(const std::string& prefix, StateVisitor& visitor) {
  visitor.tensor(prefix + "mask", words_);
  visitor.number(prefix + "unchanged", unchanged_);
  visitor.number(prefix + "needed", needed_);
}

}  // namespace pacbench::trainer
