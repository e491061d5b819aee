#include "trainer/pruning/importance.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "base/errors.h"
#include "trainer/kernels/philox.h"
#include "trainer/models/flop_count.h"
#include "trainer/pruning/hessian.h"
#include "trainer/pruning/scoring_copy.h"

namespace pacbench::trainer {
namespace {

// Activations of a slice of the batch are held for its backward pass. These limits on the samples
// of a slice and on the operations of its forward pass bound the memory, the second one to some
// 5 GB.
constexpr std::int64_t kSlice = 64;
constexpr double kSliceFlop = 2.5e11;

std::vector<at::Tensor> prunable_tensors(const std::vector<Parameter>& parameters) {
  std::vector<at::Tensor> tensors;
  for (const auto& parameter : parameters) {
    if (parameter.prunable) tensors.push_back(parameter.tensor);
  }
  return tensors;
}

/// How many samples a slice has. Batch norm normalises each slice by itself, so the size affects
/// the result and is fixed. Without batch norm the sum is the same for any size, so the size
/// follows from the limits above.
std::int64_t slice_size(Model& model, const at::Tensor& inputs) {
  if (!model.buffers().empty()) return kSlice;
  const torch::NoGradGuard no_grad;
  const auto flop = count_flop([&] { model.forward(inputs.slice(0, 0, 1)); });
  return static_cast<std::int64_t>(std::clamp(kSliceFlop / flop, 1.0, double{kSlice}));
}

/// The mean loss of a batch with softened logits. With n parts, part p has every n-th sample from p
/// on. A batch of images holds one class after the other, so each part has about as many images of
/// every class.
LossInParts softened_loss(Model& model, const Batch& batch, const at::TensorOptions& options,
                          double temperature) {
  // Tokens keep their integer type.
  const auto inputs = batch.inputs.is_floating_point() ? batch.inputs.to(options)
                                                       : batch.inputs.to(options.device());
  const auto labels = batch.labels.to(options.device());
  const auto total = labels.size(0);
  const auto slice = slice_size(model, inputs);
  const auto parts = (total + slice - 1) / slice;
  return {
      parts, [=, &model](std::int64_t part) {
        const auto own = labels.slice(0, part, total, parts);
        const auto share = static_cast<double>(own.size(0)) / static_cast<double>(total);
        const auto logits = model.forward(inputs.slice(0, part, total, parts));
        return torch::nn::functional::cross_entropy(logits / temperature, own.flatten()).mul(share);
      }};
}

bool by_differences(const PruningPlan& plan) {
  if (plan.hessian == "exact") return false;
  if (plan.hessian == "differences") return true;
  throw ConfigError{"worker specification",
                    {{"/method/hessian",
                      fmt::format("found \"{}\", expected exact or differences", plan.hessian)}}};
}

double size_of(const at::Tensor& values, const std::string& norm) {
  const auto doubles = values.to(at::kDouble);
  if (norm == "l1") return doubles.abs().mean().item<double>();
  if (norm == "l2") return std::sqrt(doubles.square().mean().item<double>());
  throw ConfigError{
      "worker specification",
      {{"/method/normalize", fmt::format("found \"{}\", expected none, l1 or l2", norm)}}};
}

}  // namespace

Importances grasp_importances(Model& model, const Batch& batch, const PruningPlan& plan) {
  const bool differences = by_differences(plan);
  const auto parameters = parameters_of(model);
  const auto weights = prunable_tensors(parameters);
  const auto type = differences ? at::kDouble : weights.front().scalar_type();
  const ScoringCopy copy{model, type};
  const auto loss = softened_loss(model, batch, weights.front().options(), plan.temperature);
  const auto products = differences ? hessian_times_gradient_by_differences(loss, weights)
                                    : hessian_times_gradient(loss, weights);
  const torch::NoGradGuard no_grad;
  Importances importances;
  auto product = products.begin();
  for (const auto& parameter : parameters) {
    importances.push_back(parameter.prunable ? (parameter.tensor * *product++).to(at::kFloat).cpu()
                                             : at::Tensor{});
  }
  return importances;
}

Importances magnitude_importances(const std::vector<Parameter>& parameters) {
  const torch::NoGradGuard no_grad;
  Importances importances;
  for (const auto& parameter : parameters) {
    importances.push_back(parameter.prunable ? parameter.tensor.abs().to(at::kFloat).cpu()
                                             : at::Tensor{});
  }
  return importances;
}

Importances random_importances(const std::vector<Parameter>& parameters, std::int64_t seed) {
  Importances importances;
  RandomKey key{.seed = seed, .use = RandomUse::kPruning};
  for (const auto& parameter : parameters) {
    auto& values = importances.emplace_back();
    if (parameter.prunable) {
      values = at::empty(parameter.tensor.sizes(), at::kFloat);
      fill_uniform(key, 0, values.numel(), values.data_ptr<float>());
    }
    ++key.parameter;
  }
  return importances;
}

void normalise(Importances& importances, const std::string& norm, const WeightMasks& present) {
  if (norm == "none") return;
  for (std::size_t i = 0; i < importances.size(); ++i) {
    auto& values = importances[i];
    if (!values.defined()) continue;
    const double size =
        size_of(present.empty() ? values : values.masked_select(present.mask(i)), norm);
    if (size > 0) values.div_(size);
  }
}

}  // namespace pacbench::trainer
