#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "contract/scenario/workload.h"

namespace pacbench::trainer {

/// Updates the parameters by the gradients that they hold. Works in place, so that gradients may be
/// views of Reducer's buckets.
class WeightOptimizer {
 public:
  WeightOptimizer(std::vector<at::Tensor> parameters, const std::vector<std::string>& memories);
  WeightOptimizer(const WeightOptimizer&) = delete;
  WeightOptimizer& operator=(const WeightOptimizer&) = delete;
  virtual ~WeightOptimizer() = default;

  /// Makes one step along the gradients that the parameters hold. A parameter without a gradient
  /// stays as it is.
  virtual void step(double lr) = 0;

  /// Sets the gradients to zero without letting go of them: views of buckets stay views.
  void zero_gradients();

  const std::vector<at::Tensor>& parameters() const { return parameters_; }

  /// State of one kind, such as momentum: a tensor for each parameter, in the parameters' order. A
  /// tensor is undefined before its parameter's first step, and where the optimiser needs none.
  struct Memory {
    std::string name;
    std::vector<at::Tensor> of_parameters;
  };
  std::vector<Memory>& memories() { return memories_; }

  /// Sets to zero what is remembered of those weights of the parameter of this number that `kept`,
  /// bool of its shape, does not keep.
  virtual void forget_pruned(std::size_t parameter, const at::Tensor& kept);

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<Memory> memories_;
};

/// The optimiser that `options.name` names: sgd, adam, adamw or lion. Throws std::invalid_argument
/// for another name.
std::unique_ptr<WeightOptimizer> make_optimizer(const Optimizer& options,
                                                std::vector<at::Tensor> parameters);

/// The learning rate of `iteration` (from 1) of `max_iterations`. It is constant, is multiplied by
/// `gamma` after each milestone (step), or falls from `lr` towards 0 (cosine). Throws ConfigError
/// for another kind of schedule.
double learning_rate(const Optimizer& optimizer, std::int64_t iteration,
                     std::int64_t max_iterations);

}  // namespace pacbench::trainer
