#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>

#include "trainer/methods/bucket.h"
#include "trainer/methods/state_visitor.h"

namespace pacbench::trainer {

/// Error feedback (Seide et al. 2014; Karimireddy et al. 2019, arXiv 1901.09847): what an exchange
/// left out of a rank's gradient, per bucket, to be added in the next iteration.
/// sent + residual = gradient + old residual.
class Residuals {
 public:
  /// Makes zeros on the device for each bucket that has none yet.
  void settle(const Layout& layout, c10::Device device);

  /// float[elements], to be worked on in place.
  at::Tensor& of(int bucket) { return residuals_.at(bucket); }

  void visit_state(StateVisitor& visitor);

  /// Euclidean norm over all buckets.
  double norm() const;

 private:
  std::map<int, at::Tensor> residuals_;
};

}  // namespace pacbench::trainer
