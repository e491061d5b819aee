#include "trainer/training/optimizer.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace pacbench::trainer {
namespace {

/// A parameter's step. `memory` points to its tensor of each Memory, in the order of memories().
using StepOne = void (*)(const Optimizer& options, at::Tensor& weights, const at::Tensor& gradient,
                         const std::vector<at::Tensor*>& memory, double lr);

/// Makes the step of one parameter after the other.
class ByParameter final : public WeightOptimizer {
 public:
  ByParameter(const Optimizer& options, std::vector<at::Tensor> parameters,
              const std::vector<std::string>& memories, StepOne step_one)
      : WeightOptimizer{std::move(parameters), memories}, options_{options}, step_one_{step_one} {}

  void step(double lr) override {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < parameters().size(); ++i) {
      auto weights = parameters()[i];
      if (!weights.grad().defined()) continue;
      std::vector<at::Tensor*> memory;
      for (auto& one : memories()) memory.push_back(&one.of_parameters[i]);
      step_one_(options_, weights, weights.grad(), memory, lr);
    }
  }

 private:
  Optimizer options_;
  StepOne step_one_;
};

/// SGD as torch's: v := momentum · v + (g + weight_decay · w), where v is 0 before the first step;
/// w := w - lr · v.
void sgd_step(const Optimizer& options, at::Tensor& weights, const at::Tensor& gradient,
              const std::vector<at::Tensor*>& memory, double lr) {
  auto& velocity = *memory[0];
  const bool first = options.momentum != 0 && !velocity.defined();
  if (first) velocity = at::empty_like(weights);
  std::vector<at::Tensor> velocities;
  if (velocity.defined()) velocities.push_back(velocity);
  // The fused step makes one pass over memory instead of three.
  at::_fused_sgd_({weights}, {gradient}, velocities, options.weight_decay, options.momentum, lr,
                  /*dampening=*/0, /*nesterov=*/false, /*maximize=*/false, first);
}

/// Adam (Kingma and Ba 2015, arXiv 1412.6980) with weight decay in the gradient. AdamW (Loshchilov
/// and Hutter 2019, arXiv 1711.05101) with weight decay apart from the gradient. Both are as
/// torch's.
void adam_step(const Optimizer& options, at::Tensor& weights, const at::Tensor& gradient,
               const std::vector<at::Tensor*>& memory, double lr) {
  if (!memory[0]->defined()) {
    *memory[0] = at::zeros_like(weights);
    *memory[1] = at::zeros_like(weights);
    *memory[2] = at::zeros({}, weights.options());
  }
  memory[2]->add_(1);
  if (options.name == "adam") {
    at::_fused_adam_({weights}, {gradient}, {*memory[0]}, {*memory[1]}, {}, {*memory[2]}, lr,
                     options.beta1, options.beta2, options.weight_decay, options.eps,
                     /*amsgrad=*/false, /*maximize=*/false);
  } else {
    at::_fused_adamw_({weights}, {gradient}, {*memory[0]}, {*memory[1]}, {}, {*memory[2]}, lr,
                      options.beta1, options.beta2, options.weight_decay, options.eps,
                      /*amsgrad=*/false, /*maximize=*/false);
  }
}

/// Lion (Chen et al. 2023, arXiv 2302.06675, program 1): the direction of the step is the sign of a
/// weighted mean of momentum and gradient.
void lion_step(const Optimizer& options, at::Tensor& weights, const at::Tensor& gradient,
               const std::vector<at::Tensor*>& memory, double lr) {
  auto& momentum = *memory[0];
  if (!momentum.defined()) momentum = at::zeros_like(weights);
  const auto direction = at::lerp(gradient, momentum, options.beta1).sign_();
  weights.mul_(1 - lr * options.weight_decay).sub_(direction, lr);
  momentum.lerp_(gradient, 1 - options.beta2);
}

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
  const auto with = [&](const std::vector<std::string>& memories, StepOne step_one) {
    return std::make_unique<ByParameter>(options, std::move(parameters), memories, step_one);
  };
  if (options.name == "sgd") return with({"momentum"}, sgd_step);
  if (options.name == "lion") return with({"momentum"}, lion_step);
  if (options.name == "adam" || options.name == "adamw") {
    return with({"exp_avg", "exp_avg_sq", "steps"}, adam_step);
  }
  throw std::invalid_argument{"unknown optimiser " + options.name};
}

double learning_rate(const Optimizer& optimizer, std::int64_t iteration,
                     std::int64_t max_iterations) {
  const auto& schedule = optimizer.schedule;
  if (schedule.kind == "constant") return optimizer.lr;
  if (schedule.kind == "step") {
    const auto passed = std::count_if(schedule.milestones.begin(), schedule.milestones.end(),
                                      [&](std::int64_t at) { return at < iteration; });
    return optimizer.lr * std::pow(schedule.gamma, static_cast<double>(passed));
  }
  if (schedule.kind == "cosine") {
    const auto progress = static_cast<double>(iteration - 1) / static_cast<double>(max_iterations);
    return optimizer.lr * 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
  }
  throw ConfigError{
      "worker specification",
      {{"/workload/optimizer/schedule/kind",
        fmt::format("found \"{}\", expected constant, step or cosine", schedule.kind)}}};
}

}  // namespace pacbench::trainer
