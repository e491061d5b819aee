#include "trainer/training/sgd.h"

#include <torch/torch.h>

#include <utility>

namespace pacbench::trainer {

Sgd::Sgd(std::vector<at::Tensor> parameters, Options options)
    : parameters_{std::move(parameters)}, velocity_(parameters_.size()), options_{options} {}

void Sgd::step(double lr) {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    auto& weights = parameters_[i];
    const auto& gradient = weights.grad();
    if (!gradient.defined()) continue;
    auto& velocity = velocity_[i];
    const bool first = options_.momentum != 0 && !velocity.defined();
    if (first) velocity = at::empty_like(weights);
    std::vector<at::Tensor> velocities;
    if (velocity.defined()) velocities.push_back(velocity);
    // One pass over memory instead of three.
    at::_fused_sgd_({weights}, {gradient}, velocities, options_.weight_decay, options_.momentum, lr,
                    /*dampening=*/0, /*nesterov=*/false, /*maximize=*/false, first);
  }
}

void Sgd::zero_gradients() {
  const torch::NoGradGuard no_grad;
  for (auto& weights : parameters_) {
    if (weights.grad().defined()) weights.mutable_grad().zero_();
  }
}

}  // namespace pacbench::trainer
