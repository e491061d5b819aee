#include "trainer/pruning/importance.h"

#include <torch/torch.h>

#include <algorithm>

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

/// Batch norm uses the statistics of the batch, as in training: fresh weights have no running ones
/// that mean anything. What it remembers of it is undone.
class BatchStatistics {
 public:
  explicit BatchStatistics(Model& model) : model_{model}, was_training_{model.is_training()} {
    for (const auto& buffer : model.buffers()) before_.push_back(buffer.clone());
    model.train();
  }
  BatchStatistics(const BatchStatistics&) = delete;
  BatchStatistics& operator=(const BatchStatistics&) = delete;
  ~BatchStatistics() {
    const torch::NoGradGuard no_grad;
    auto buffers = model_.buffers();
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].copy_(before_[i]);
    model_.train(was_training_);
  }

 private:
  Model& model_;
  bool was_training_;
  std::vector<at::Tensor> before_;
};

std::int64_t slices_of(const Batch& batch) { return (batch.labels.size(0) + kSlice - 1) / kSlice; }

/// The part of a batch's mean loss that every slices_of(batch)-th image has, from image `first` on:
/// with the classes one after the other in the batch, each slice holds as many of each.
class Slice {
 public:
  Slice(Model& model, const std::vector<at::Tensor>& weights, const Batch& batch,
        std::int64_t first, double temperature) {
    const auto total = batch.labels.size(0);
    const auto step = slices_of(batch);
    const auto images = batch.images.slice(0, first, total, step).to(weights.front().options());
    const auto labels = batch.labels.slice(0, first, total, step).to(weights.front().device());
    const auto share = static_cast<double>(labels.size(0)) / static_cast<double>(total);
    loss_ = torch::nn::functional::cross_entropy(model.forward(images) / temperature, labels)
                .mul(share);
  }

  std::vector<at::Tensor> gradient(const std::vector<at::Tensor>& weights, bool with_graph) const {
    return torch::autograd::grad({loss_}, weights, {}, with_graph, with_graph);
  }

 private:
  at::Tensor loss_;
};

void add(std::vector<at::Tensor>& sum, const std::vector<at::Tensor>& part) {
  for (std::size_t i = 0; i < part.size(); ++i) sum[i].add_(part[i]);
}

std::vector<at::Tensor> zeros_like(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> zeros;
  for (const auto& tensor : tensors) zeros.push_back(at::zeros_like(tensor.detach()));
  return zeros;
}

/// H g, as the gradient of g' · g for a g' that is held constant.
std::vector<at::Tensor> hessian_times_gradient(Model& model, const std::vector<at::Tensor>& weights,
                                               const Batch& batch, double temperature) {
  const at::AutoGradMode with_gradients{true};
  auto constant = zeros_like(weights);
  for (std::int64_t first = 0; first < slices_of(batch); ++first) {
    add(constant, Slice{model, weights, batch, first, temperature}.gradient(weights, false));
  }
  auto result = zeros_like(weights);
  for (std::int64_t first = 0; first < slices_of(batch); ++first) {
    const Slice slice{model, weights, batch, first, temperature};
    auto product = at::zeros({}, weights.front().options());
    const auto gradient = slice.gradient(weights, true);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      product = product + (constant[i] * gradient[i]).sum();
    }
    add(result, torch::autograd::grad({product}, weights));
  }
  return result;
}

}  // namespace

Importances grasp_importances(Model& model, const Batch& batch, double temperature) {
  const BatchStatistics batch_statistics{model};
  const auto parameters = parameters_of(model);
  const auto weights = prunable_tensors(parameters);
  auto products = hessian_times_gradient(model, weights, batch, temperature);
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
