#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace pacbench::trainer {

/// Stochastic gradient descent as torch's: v := momentum · v + (g + weight_decay · w), v = g in
/// the first step; w := w - lr · v. Works in place, so that gradients may be views of the
/// reducer's buckets.
class Sgd {
 public:
  struct Options {
    double momentum = 0;
    double weight_decay = 0;
  };

  Sgd(std::vector<at::Tensor> parameters, Options options);

  /// One step along the gradients that the parameters hold. A parameter without one stays.
  void step(double lr);

  /// Sets the gradients to zero without letting go of them: views of buckets stay views.
  void zero_gradients();

  const std::vector<at::Tensor>& parameters() const { return parameters_; }

  /// The momentum of each parameter, in the same order; undefined before its first step and when
  /// momentum is 0.
  std::vector<at::Tensor>& momentum_buffers() { return velocity_; }

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> velocity_;
  Options options_;
};

}  // namespace pacbench::trainer
