#include "trainer/pruning/importance.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/errors.h"
#include "trainer/kernels/philox.h"
#include "trainer/models/flop_count.h"
#include "trainer/models/transformer.h"

namespace pacbench::trainer {
namespace {

using Tensors = std::vector<at::Tensor>;

// Steps of central differences: distances from the middle to either end. With a larger step more
// ReLUs switch between the ends, and each adds an error, the jump of the gradient divided by the
// step. With a smaller step rounding errors show. For resnet20 with digits, H g is wrong by a
// factor of 1000 at 1e-7; its relative error is 1e-6 at 1e-9 and 1e-4 at 1e-11. For resnet18 with
// 32x32 images, H g is wrong by a factor of 26000 at 1e-8.
constexpr double kFirstStepNorm = 1e-9;
constexpr double kLastStepNorm = 1e-12;
// The largest relative difference of two results that agree, where one step is a tenth of the
// other. A ReLU that switches makes the results differ by a factor; rounding changes them by far
// less.
constexpr double kAgreement = 0.01;

void add(Tensors& sum, const Tensors& part) {
  for (std::size_t i = 0; i < part.size(); ++i) sum[i].add_(part[i]);
}

Tensors zeros_like(const Tensors& tensors) {
  Tensors zeros;
  for (const auto& tensor : tensors) zeros.push_back(at::zeros_like(tensor.detach()));
  return zeros;
}

Tensors gradient(const LossInParts& loss, const Tensors& weights) {
  const at::AutoGradMode with_gradients{true};
  auto sum = zeros_like(weights);
  for (std::int64_t part = 0; part < loss.parts; ++part) {
    add(sum, torch::autograd::grad({loss.part(part)}, weights));
  }
  return sum;
}

double norm(const Tensors& tensors) {
  double squares = 0;
  for (const auto& tensor : tensors) squares += tensor.square().sum().item<double>();
  return std::sqrt(squares);
}

double distance(const Tensors& a, const Tensors& b) {
  Tensors differences;
  for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(a[i] - b[i]);
  return norm(differences);
}

/// Moves weights along a direction. The destructor puts them back.
class Displacement {
 public:
  explicit Displacement(const Tensors& weights) : weights_{weights} {
    for (const auto& weight : weights) origin_.push_back(weight.detach().clone());
  }
  Displacement(const Displacement&) = delete;
  Displacement& operator=(const Displacement&) = delete;
  ~Displacement() { move_to(origin_, 0); }

  /// Sets the weights to the origin plus `distance` times `direction`.
  void move_to(const Tensors& direction, double distance) const {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      weights_[i].copy_(origin_[i]).add_(direction[i], distance);
    }
  }

 private:
  const Tensors& weights_;
  Tensors origin_;
};

/// (grad(w + step · direction) - grad(w - step · direction)) / (2 · step).
Tensors difference(const LossInParts& loss, const Tensors& weights, const Tensors& direction,
                   double step) {
  const Displacement displacement{weights};
  displacement.move_to(direction, step);
  auto result = gradient(loss, weights);
  displacement.move_to(direction, -step);
  const auto behind = gradient(loss, weights);
  for (std::size_t i = 0; i < result.size(); ++i) result[i].sub_(behind[i]).div_(2 * step);
  return result;
}

// Activations of a slice of the batch are held for its backward pass. These limits on the samples
// of a slice and on the operations of its forward pass bound the memory, the second one to some
// 5 GB.
constexpr std::int64_t kSlice = 64;
constexpr double kSliceFlop = 2.5e11;

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

double size_of(const at::Tensor& values, const std::string& norm) {
  const auto doubles = values.to(at::kDouble);
  if (norm == "l1") return doubles.abs().mean().item<double>();
  if (norm == "l2") return std::sqrt(doubles.square().mean().item<double>());
  throw ConfigError{
      "worker specification",
      {{"/method/normalize", fmt::format("found \"{}\", expected none, l1 or l2", norm)}}};
}

}  // namespace

Tensors hessian_times_gradient(const LossInParts& loss, const Tensors& weights) {
  const at::AutoGradMode with_gradients{true};
  const TwiceDifferentiable attention;
  const auto constant = gradient(loss, weights);
  auto result = zeros_like(weights);
  for (std::int64_t part = 0; part < loss.parts; ++part) {
    const auto graph = torch::autograd::grad({loss.part(part)}, weights, {}, true, true);
    auto product = at::zeros({}, weights.front().options());
    for (std::size_t i = 0; i < graph.size(); ++i) {
      product = product + (constant[i] * graph[i]).sum();
    }
    add(result, torch::autograd::grad({product}, weights));
  }
  return result;
}

Tensors hessian_times_gradient_by_differences(const LossInParts& loss, const Tensors& weights) {
  for (const auto& weight : weights) {
    if (weight.scalar_type() == at::kDouble) continue;
    throw std::logic_error{"differences of gradients need weights in double precision"};
  }
  const auto direction = gradient(loss, weights);
  const double length = norm(direction);
  if (length == 0) return direction;
  auto wide = difference(loss, weights, direction, kFirstStepNorm / length);
  for (double step_norm = kFirstStepNorm / 10; step_norm > kLastStepNorm / 2; step_norm /= 10) {
    auto narrow = difference(loss, weights, direction, step_norm / length);
    if (distance(wide, narrow) <= kAgreement * norm(narrow)) return wide;
    wide = std::move(narrow);
  }
  throw std::runtime_error{fmt::format(
      "pruning: the Hessian-gradient product from differences of gradients changes with "
      "every step size from {} to {}, probably since too many ReLUs switch; use \"hessian\": "
      "\"exact\"",
      kFirstStepNorm, kLastStepNorm)};
}

struct ScoringCopy::Own {
  at::Tensor tensor;
  at::Tensor data;
  std::shared_ptr<torch::autograd::Node> accumulator;  ///< null where autograd has made none
};

ScoringCopy::ScoringCopy(Model& model, at::ScalarType type)
    : model_{model}, was_training_{model.is_training()} {
  auto tensors = model.parameters();
  const auto buffers = model.buffers();
  tensors.insert(tensors.end(), buffers.begin(), buffers.end());
  for (auto& tensor : tensors) {
    auto data = tensor.variable_data();
    own_.push_back({tensor, data, torch::autograd::impl::try_get_grad_accumulator(tensor)});
    const auto copy_type = data.is_floating_point() ? type : data.scalar_type();
    tensor.set_data(data.to(copy_type, /*non_blocking=*/false, /*copy=*/true));
  }
  model.train();
}

ScoringCopy::~ScoringCopy() {
  for (auto& own : own_) {
    own.tensor.set_data(own.data);
    if (own.accumulator) torch::autograd::impl::set_grad_accumulator(own.tensor, own.accumulator);
  }
  model_.train(was_training_);
}

Importances grasp_importances(Model& model, const Batch& batch, const PruningPlan& plan) {
  const bool differences = plan.hessian == "differences";
  if (!differences && plan.hessian != "exact") {
    throw ConfigError{"worker specification",
                      {{"/method/hessian",
                        fmt::format("found \"{}\", expected exact or differences", plan.hessian)}}};
  }
  const auto parameters = parameters_of(model);
  Tensors weights;
  for (const auto& parameter : parameters) {
    if (parameter.prunable) weights.push_back(parameter.tensor);
  }
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
