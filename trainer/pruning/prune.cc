#include "trainer/pruning/prune.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "base/errors.h"

namespace pacbench::trainer {
namespace {

// As in GraSP's published code.
constexpr std::int64_t kSamplesPerClass = 25;

Importances mean_grasp_importances(Model& model, const Dataset& dataset, const PruningPlan& plan,
                                   std::int64_t seed) {
  Importances mean;
  for (std::int64_t draw = 0; draw < plan.batches; ++draw) {
    const auto batch = dataset.balanced_batch(seed, kSamplesPerClass, draw);
    auto importances = grasp_importances(model, batch, plan);
    if (draw == 0) mean.resize(importances.size());
    for (std::size_t i = 0; i < mean.size(); ++i) {
      if (!importances[i].defined()) continue;
      importances[i].div_(plan.batches);
      mean[i] = mean[i].defined() ? mean[i].add_(importances[i]) : importances[i];
    }
  }
  return mean;
}

constexpr std::int64_t kFloorDivisor = 100;

struct Layer {
  const float* values;
  const bool* present;
  bool* kept;
  std::int64_t size;
  std::int64_t floor;

  bool may_be_kept(std::int64_t i) const { return present[i] && !kept[i]; }
};

/// Keeps the `count` largest of those values that are present and not kept yet, over all layers;
/// among equals those of earlier layers and places.
void keep_largest(const std::vector<Layer>& layers, std::int64_t count) {
  std::vector<float> candidates;
  for (const auto& layer : layers) {
    for (std::int64_t i = 0; i < layer.size; ++i) {
      if (layer.may_be_kept(i)) candidates.push_back(layer.values[i]);
    }
  }
  if (count < 0 || count > static_cast<std::int64_t>(candidates.size())) {
    throw std::logic_error{
        fmt::format("pruning: {} weights must be kept, but {} are left: more weights have been "
                    "pruned than the step's ratio allows",
                    count, candidates.size())};
  }
  if (count == 0) return;
  const auto last = candidates.begin() + (count - 1);
  std::nth_element(candidates.begin(), last, candidates.end(), std::greater<>{});
  const float threshold = *last;
  auto ties = count - std::count_if(candidates.begin(), last + 1,
                                    [&](float value) { return value > threshold; });
  for (const auto& layer : layers) {
    for (std::int64_t i = 0; i < layer.size; ++i) {
      if (!layer.may_be_kept(i)) continue;
      const bool tie = layer.values[i] == threshold;
      layer.kept[i] = layer.values[i] > threshold || (tie && ties > 0);
      if (tie && ties > 0) --ties;
    }
  }
}

std::int64_t removed(std::int64_t size, double ratio) {
  return std::llround(ratio * static_cast<double>(size));
}

void keep(const std::vector<Layer>& layers, double ratio, bool per_layer) {
  std::int64_t all = 0;
  std::int64_t floors = 0;
  for (const auto& layer : layers) {
    keep_largest({layer}, layer.floor);
    all += layer.size;
    floors += layer.floor;
  }
  if (!per_layer) return keep_largest(layers, all - removed(all, ratio) - floors);
  for (const auto& layer : layers) {
    const auto kept = layer.size - removed(layer.size, ratio);
    keep_largest({layer}, std::max<std::int64_t>(kept - layer.floor, 0));
  }
}

/// Throws ConfigError when removing `ratio` of the prunable weights would leave fewer than the sum
/// of all layers' floors. The error names that sum.
void check_ratio(const std::vector<Parameter>& parameters, double ratio) {
  std::int64_t all = 0;
  std::int64_t floors = 0;
  for (const auto& parameter : parameters) {
    if (!parameter.prunable) continue;
    all += parameter.tensor.numel();
    floors += layer_floor(parameter.tensor);
  }
  if (all - removed(all, ratio) >= floors) return;
  const auto most = static_cast<double>(all - floors) / static_cast<double>(all);
  throw ConfigError{
      "worker specification",
      {{"/method/pruning_ratio",
        fmt::format("found {}, which removes {} of {} weights; but every layer must keep at least "
                    "1 % of its weights, and at least as many as one filter has, which is {} "
                    "weights over all layers; expected at most {:.4f}",
                    ratio, removed(all, ratio), all, floors, std::floor(most * 1e4) / 1e4)}}};
}

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// `mask`, bool[n], with `count` more places set: those of largest value where it is not set yet.
at::Tensor with_largest(const at::Tensor& mask, const at::Tensor& values, std::int64_t count) {
  const auto order = values.masked_fill(mask, kNever).argsort(/*stable=*/true, 0, true);
  return mask.index_fill(0, order.narrow(0, 0, count), true);
}

}  // namespace

double ratio_of_step(const PruningPlan& plan, std::int64_t step) {
  if (step < 1 || step > plan.steps) {
    throw std::logic_error{fmt::format("no pruning step {} of {}", step, plan.steps)};
  }
  const auto left = static_cast<double>(plan.steps - step) / static_cast<double>(plan.steps);
  return plan.ratio * (1 - left * left * left);
}

Importances importances_of(Model& model, const Dataset& dataset, const PruningPlan& plan,
                           std::int64_t seed) {
  if (plan.score == "grasp") return mean_grasp_importances(model, dataset, plan, seed);
  if (plan.score == "magnitude") return magnitude_importances(parameters_of(model));
  if (plan.score == "random") return random_importances(parameters_of(model), seed);
  throw ConfigError{
      "worker specification",
      {{"/method/score",
        fmt::format("found \"{}\", expected one of grasp, magnitude, random", plan.score)}}};
}

std::int64_t layer_floor(const at::Tensor& weights) {
  const auto hundredth = (weights.numel() + kFloorDivisor - 1) / kFloorDivisor;
  return std::max(hundredth, weights.numel() / weights.size(0));
}

WeightMasks masks_of(const std::vector<Parameter>& parameters, const Importances& importances,
                     double ratio, const WeightMasks& present, bool per_layer) {
  check_ratio(parameters, ratio);
  const WeightMasks before = present.empty() ? WeightMasks{parameters} : present;
  std::vector<at::Tensor> masks(parameters.size());
  std::vector<Layer> layers;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].prunable) continue;
    if (!at::isfinite(importances.at(i)).all().item<bool>()) {
      throw std::runtime_error{
          fmt::format("pruning: the importance of {} is not finite: has the training diverged, or "
                      "the one that made the initial weights?",
                      parameters[i].name)};
    }
    masks[i] = at::zeros(importances[i].sizes(), at::kBool);
    layers.push_back({importances[i].const_data_ptr<float>(), before.mask(i).const_data_ptr<bool>(),
                      masks[i].data_ptr<bool>(), masks[i].numel(),
                      layer_floor(parameters[i].tensor)});
  }
  keep(layers, ratio, per_layer);
  WeightMasks result{parameters};
  for (std::size_t i = 0; i < masks.size(); ++i) {
    if (masks[i].defined()) result.set_mask(i, masks[i]);
  }
  return result;
}

WeightMasks choose_masks(const std::vector<Parameter>& parameters, Importances importances,
                         const PruningPlan& plan, double ratio, const WeightMasks& present) {
  check_ratio(parameters, plan.ratio);
  normalise(importances, plan.normalize, present);
  return masks_of(parameters, importances, ratio, present, plan.per_layer);
}

WeightMasks regrown(const WeightMasks& masks, const std::vector<Parameter>& parameters,
                    double share) {
  const torch::NoGradGuard no_grad;
  auto changed = masks;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!masks.mask(i).defined()) continue;
    const auto& weights = parameters[i].tensor;
    const auto kept = masks.mask(i).flatten();
    const auto count = regrown_count(share, kept.sum().item<std::int64_t>());
    const auto magnitudes = weights.detach().abs().flatten().cpu();
    const auto stays = with_largest(kept.logical_not(), -magnitudes, count).logical_not_();
    const auto grown = with_largest(stays, weights.grad().abs().flatten().cpu(), count);
    changed.set_mask(i, grown.view_as(masks.mask(i)));
  }
  return changed;
}

}  // namespace pacbench::trainer
