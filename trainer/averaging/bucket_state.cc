#include "trainer/averaging/bucket_state.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <cmath>

namespace pacbench::trainer {

void BucketState::settle(const Layout& layout, c10::Device device) {
  for (const auto& bucket : layout) {
    auto& tensor = tensors_[bucket.index];
    if (!tensor.defined()) tensor = at::zeros({bucket.elements}, device);
  }
}

void BucketState::visit(StateVisitor& visitor) {
  for (auto& [index, tensor] : tensors_) {
    visitor.tensor(fmt::format("bucket{}/{}", index, name_), tensor);
  }
}

double BucketState::norm() const {
  double squares = 0;
  for (const auto& [index, tensor] : tensors_) {
    const auto norm = tensor.norm().item<double>();
    squares += norm * norm;
  }
  return std::sqrt(squares);
}

}  // namespace pacbench::trainer
