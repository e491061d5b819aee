#pragma once

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "trainer/averaging/bucket.h"
#include "trainer/averaging/state_visitor.h"

namespace pacbench::trainer {

/// Keeps a tensor for each bucket from one iteration to the next: float[elements], zeros at first.
class BucketState {
 public:
  /// `name` distinguishes it from other state of the same method in a checkpoint.
  explicit BucketState(std::string name) : name_{std::move(name)} {}

  /// Makes the tensors of buckets that have none yet.
  void settle(const Layout& layout, c10::Device device) {
    for (const auto& bucket : layout) {
      auto& tensor = tensors_[bucket.index];
      if (!tensor.defined()) tensor = at::zeros({bucket.elements}, device);
    }
  }

  at::Tensor& of(const BucketLayout& bucket) { return tensors_.at(bucket.index); }

  void visit(StateVisitor& visitor) {
    for (auto& [index, tensor] : tensors_) {
      visitor.tensor(fmt::format("bucket{}/{}", index, name_), tensor);
    }
  }

  /// Euclidean norm of all tensors together.
  double norm() const {
    double squares = 0;
    for (const auto& [index, tensor] : tensors_) {
      const auto norm = tensor.norm().item<double>();
      squares += norm * norm;
    }
    return std::sqrt(squares);
  }

 private:
  std::string name_;
  std::map<int, at::Tensor> tensors_;
};

}  // namespace pacbench::trainer
