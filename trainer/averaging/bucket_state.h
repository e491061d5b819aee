#pragma once

#include <map>
#include <string>

#include "trainer/averaging/bucket.h"
#include "trainer/averaging/state_visitor.h"

namespace pacbench::trainer {

/// Keeps a tensor for each bucket from one iteration to the next: float[elements], zeros at first.
class BucketState {
 public:
  /// `name` distinguishes it from other state of the same method in a checkpoint.
  explicit BucketState(std::string name) : name_{std::move(name)} {}

  /// Makes the tensors of buckets that have none yet.
  void settle(const Layout& layout, c10::Device device);
  at::Tensor& of(const BucketLayout& bucket) { return tensors_.at(bucket.index); }

  void visit(StateVisitor& visitor);
  /// Euclidean norm of all tensors together.
  double norm() const;

 private:
  std::string name_;
  std::map<int, at::Tensor> tensors_;
};

}  // namespace pacbench::trainer
