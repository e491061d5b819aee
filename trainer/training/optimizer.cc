#include "trainer/training/optimizer.h"

#include <torch/torch.h>

#include <stdexcept>
#include <utility>

namespace pacbench::trainer {
namespace {

/// Makes the step of one parameter after the other.
class ByParameter : public WeightOptimizer {
 public:
  using WeightOptimizer::WeightOptimizer;

  void step(double lr) final {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < parameters().size(); ++i) {
      auto weights = parameters()[i];
      if (!weights.grad().defined()) continue;
      std::vector<at::Tensor*> memory;
      for (auto& one : memories()) memory.push_back(&one.of_parameters[i]);
      step_one(weights, weights.grad(), memory, lr);
    }
  }

 protected:
  /// `memory` points to this parameter's tensor of each Memory, in the order of memories().
  virtual void step_one(at::Tensor& weights, const at::Tensor& gradient,
                        const std::vector<at::Tensor*>& memory, double lr) = 0;
};

/// SGD as torch's: v := momentum · v + (g + weight_decay · w), where v is 0 before the first step;
/// w := w - lr · v.
class Sgd final : public ByParameter {
 public:
  Sgd(const Optimizer& options, std::vector<at::Tensor> parameters)
      : ByParameter{std::move(parameters), {"momentum"}}, options_{options} {}

 private:
  void step_one(at::Tensor& weights, const at::Tensor& gradient,
                const std::vector<at::Tensor*>& memory, double lr) override {
    auto& velocity = *memory[0];
    const bool first = options_.momentum != 0 && !velocity.defined();
    if (first) velocity = at::empty_like(weights);
    std::vector<at::Tensor> velocities;
    if (velocity.defined()) velocities.push_back(velocity);
    // The fused step makes one pass over memory instead of three.
    at::_fused_sgd_({weights}, {gradient}, velocities, options_.weight_decay, options_.momentum, lr,
                    /*dampening=*/0, /*nesterov=*/false, /*maximize=*/false, first);
  }

  Optimizer options_;
};

/// Adam (Kingma and Ba 2015, arXiv 1412.6980) with weight decay in the gradient. AdamW (Loshchilov
/// and Hutter 2019, arXiv 1711.05101) with weight decay apart from the gradient. Both are as
/// torch's.
class Adam final : public ByParameter {
 public:
  Adam(const Optimizer& options, std::vector<at::Tensor> parameters)
      : ByParameter{std::move(parameters), {"exp_avg", "exp_avg_sq", "steps"}}, options_{options} {}

 private:
  void step_one(at::Tensor& weights, const at::Tensor& gradient,
                const std::vector<at::Tensor*>& memory, double lr) override {
    if (!memory[0]->defined()) {
      *memory[0] = at::zeros_like(weights);
      *memory[1] = at::zeros_like(weights);
      *memory[2] = at::zeros({}, weights.options());
    }
    memory[2]->add_(1);
    const auto fused = options_.name == "adam" ? adam : adamw;
    fused({weights}, {gradient}, {*memory[0]}, {*memory[1]}, {*memory[2]}, lr, options_);
  }

  using List = at::TensorList;
  static void adam(List weights, List gradients, List means, List squares, List steps, double lr,
                   const Optimizer& options) {
    at::_fused_adam_(weights, gradients, means, squares, {}, steps, lr, options.beta1,
                     options.beta2, options.weight_decay, options.eps, /*amsgrad=*/false,
                     /*maximize=*/false);
  }
  static void adamw(List weights, List gradients, List means, List squares, List steps, double lr,
                    const Optimizer& options) {
    at::_fused_adamw_(weights, gradients, means, squares, {}, steps, lr, options.beta1,
                      options.beta2, options.weight_decay, options.eps, /*amsgrad=*/false,
                      /*maximize=*/false);
  }

  Optimizer options_;
};

/// Lion (Chen et al. 2023, arXiv 2302.06675, program 1): the direction of the step is the sign of a
/// weighted mean of momentum and gradient.
class Lion final : public ByParameter {
 public:
  Lion(const Optimizer& options, std::vector<at::Tensor> parameters)
      : ByParameter{std::move(parameters), {"momentum"}}, options_{options} {}

 private:
  void step_one(at::Tensor& weights, const at::Tensor& gradient,
                const std::vector<at::Tensor*>& memory, double lr) override {
    auto& momentum = *memory[0];
    if (!momentum.defined()) momentum = at::zeros_like(weights);
    const auto direction = at::lerp(gradient, momentum, options_.beta1).sign_();
    weights.mul_(1 - lr * options_.weight_decay).sub_(direction, lr);
    momentum.lerp_(gradient, 1 - options_.beta2);
  }

  Optimizer options_;
};

}  // namespace

WeightOptimizer::WeightOptimizer(std::vector<at::Tensor> parameters,
                                 const std::vector<std::string>& memories)
    : parameters_{std::move(parameters)} {
  for (const auto& name : memories) {
    memories_.push_back({name, std::vector<at::Tensor>(parameters_.size())});
  }
}

void WeightOptimizer::forget_pruned(std::size_t parameter, const at::Tensor& kept) {
  for (const auto& memory : memories_) {
    const auto& value = memory.of_parameters.at(parameter);
    if (!value.defined() || value.numel() != kept.numel()) continue;
    value.masked_fill_(kept.to(value.device()).logical_not(), 0);
  }
}

void WeightOptimizer::zero_gradients() {
  const torch::NoGradGuard no_grad;
  for (auto& weights : parameters_) {
    if (weights.grad().defined()) weights.mutable_grad().zero_();
  }
}

std::unique_ptr<WeightOptimizer> make_optimizer(const Optimizer& options,
                                                std::vector<at::Tensor> parameters) {
  if (options.name == "sgd") return std::make_unique<Sgd>(options, std::move(parameters));
  if (options.name == "lion") return std::make_unique<Lion>(options, std::move(parameters));
  if (options.name == "adam" || options.name == "adamw") {
    return std::make_unique<Adam>(options, std::move(parameters));
  }
  throw std::invalid_argument{"unknown optimiser " + options.name};
}

}  // namespace pacbench::trainer
