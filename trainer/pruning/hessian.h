#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace pacbench::trainer {

/// A loss as a sum of parts, each computed on demand, so that the activations of only one part at a
/// time are in memory.
struct LossInParts {
  std::int64_t parts = 1;
  std::function<at::Tensor(std::int64_t part)> part;  ///< a scalar with its graph
};

/// H g, where g is the gradient and H the Hessian of the loss by `weights`, over all parts and at
/// the present weights. `weights` are leaves of the loss's graph. The result has the shapes of
/// `weights`. It is exact: the gradient of g · g' for a g' that is held constant.
std::vector<at::Tensor> hessian_times_gradient(const LossInParts& loss,
                                               const std::vector<at::Tensor>& weights);

/// H g from central differences, (grad(w + e g) - grad(w - e g)) / 2e: no graph of a gradient is
/// kept, so it takes less memory, and any operation is supported. A ReLU that switches between the
/// two ends spoils the result. So e begins at 1e-9 / |g|, in double precision, and is divided by 10
/// until two results in a row agree. This takes five gradients or more, unless g is zero. Weights
/// are moved and put back. Throws std::runtime_error when no two agree down to 1e-12 / |g|, and
/// std::logic_error when the weights are not double.
std::vector<at::Tensor> hessian_times_gradient_by_differences(
    const LossInParts& loss, const std::vector<at::Tensor>& weights);

}  // namespace pacbench::trainer
