#include "trainer/pruning/importance.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "trainer/kernels/philox.h"

namespace pacbench {
namespace {

// Activations of a slice are held for its backward pass: this bounds the memory.
constexpr std::int64_t kSlice = 64;

std::vector<at::Tensor> prunable_tensors(const std::vector<Parameter>& parameters) {
  std::vector<at::Tensor> tensors;
  for (const auto& parameter : parameters) {
    if (parameter.prunable) tensors.push_back(parameter.tensor);
  }
  return tensors;
}

/// The gradient of the mean loss over `batch` with respect to `weights`.
std::vector<at::Tensor> gradient(Model& model, const std::vector<at::Tensor>& weights,
                                 const Batch& batch, double temperature) {
  const at::AutoGradMode with_gradients{true};
  const auto total = static_cast<double>(batch.labels.size(0));
  std::vector<at::Tensor> sum;
  for (std::int64_t first = 0; first < batch.labels.size(0); first += kSlice) {
    const auto count = std::min(kSlice, batch.labels.size(0) - first);
    const auto images = batch.images.narrow(0, first, count).to(weights.front().options());
    const auto labels = batch.labels.narrow(0, first, count).to(weights.front().device());
    const auto share = static_cast<double>(count) / total;
    const auto loss =
        torch::nn::functional::cross_entropy(model.forward(images) / temperature, labels) * share;
    const auto part = torch::autograd::grad({loss}, weights);
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (first == 0) {
        sum.push_back(part[i].clone());
      } else {
        sum[i] += part[i];
      }
    }
  }
  return sum;
}

double norm(const std::vector<at::Tensor>& tensors) {
  double squares = 0;
  for (const auto& tensor : tensors)
    squares += tensor.to(at::kDouble).square().sum().item<double>();
  return std::sqrt(squares);
}

/// Moves weights along a direction and puts the very same values back when it ends.
class Displacement {
 public:
  Displacement(std::vector<at::Tensor> weights, const std::vector<at::Tensor>& direction,
               double step)
      : weights_{std::move(weights)} {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      before_.push_back(weights_[i].detach().clone());
      weights_[i].add_(direction[i], step);
    }
  }
  Displacement(const Displacement&) = delete;
  Displacement& operator=(const Displacement&) = delete;
  ~Displacement() {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i].copy_(before_[i]);
  }

 private:
  std::vector<at::Tensor> weights_;
  std::vector<at::Tensor> before_;
};

std::vector<at::Tensor> hessian_times_gradient(Model& model, const std::vector<at::Tensor>& weights,
                                               const Batch& batch, const GraspOptions& options) {
  const auto direction = gradient(model, weights, batch, options.temperature);
  const double length = norm(direction);
  // A gradient of zero has no direction: every score is then zero, and equal.
  if (length == 0) return direction;
  const bool is_double = weights.front().scalar_type() == at::kDouble;
  const double step_norm = options.step_norm > 0 ? options.step_norm : is_double ? 1e-5 : 1e-2;
  const double step = step_norm / length;
  const auto gradient_at = [&](double signed_step) {
    const Displacement moved{weights, direction, signed_step};
    return gradient(model, weights, batch, options.temperature);
  };
  auto product = gradient_at(step);
  const auto behind = gradient_at(-step);
  for (std::size_t i = 0; i < product.size(); ++i) {
    product[i].sub_(behind[i]).div_(2 * step);
  }
  return product;
}

}  // namespace

Importances grasp_importances(Model& model, const Batch& batch, const GraspOptions& options) {
  const EvaluationMode evaluation_mode{model};
  const auto parameters = parameters_of(model);
  const auto weights = prunable_tensors(parameters);
  auto products = hessian_times_gradient(model, weights, batch, options);
  const torch::NoGradGuard no_grad;
  Importances importances;
  auto product = products.begin();
  for (const auto& parameter : parameters) {
    importances.push_back(parameter.prunable ? (parameter.tensor * *product++).to(at::kFloat).cpu()
                                             : at::Tensor{});
  }
  return importances;
}

Importances magnitude_importances(const Model& model) {
  const torch::NoGradGuard no_grad;
  Importances importances;
  for (const auto& parameter : parameters_of(model)) {
    importances.push_back(parameter.prunable ? parameter.tensor.abs().to(at::kFloat).cpu()
                                             : at::Tensor{});
  }
  return importances;
}

Importances random_importances(const Model& model, std::int64_t seed) {
  Importances importances;
  RandomKey key{.seed = seed, .use = RandomUse::kPruning};
  for (const auto& parameter : parameters_of(model)) {
    auto& values = importances.emplace_back();
    if (parameter.prunable) {
      values = at::empty(parameter.tensor.sizes(), at::kFloat);
      fill_uniform(key, 0, values.numel(), values.data_ptr<float>());
    }
    ++key.parameter;
  }
  return importances;
}

}  // namespace pacbench
