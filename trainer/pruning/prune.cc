#include "trainer/pruning/prune.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace pacbench {
namespace {

constexpr std::int64_t kFloorDivisor = 100;

struct Layer {
  const float* values;
  bool* kept;
  std::int64_t size;
};

/// Keeps the `count` largest of those values that are not kept yet, over all layers; among equals
/// those of earlier layers and places.
void keep_largest(const std::vector<Layer>& layers, std::int64_t count) {
  if (count == 0) return;
  std::vector<float> candidates;
  for (const auto& layer : layers) {
    for (std::int64_t i = 0; i < layer.size; ++i) {
      if (!layer.kept[i]) candidates.push_back(layer.values[i]);
    }
  }
  const auto last = candidates.begin() + (count - 1);
  std::nth_element(candidates.begin(), last, candidates.end(), std::greater<>{});
  const float threshold = *last;
  auto ties = count - std::count_if(candidates.begin(), last + 1,
                                    [&](float value) { return value > threshold; });
  for (const auto& layer : layers) {
    for (std::int64_t i = 0; i < layer.size; ++i) {
      if (layer.kept[i]) continue;
      const bool tie = layer.values[i] == threshold;
      layer.kept[i] = layer.values[i] > threshold || (tie && ties > 0);
      if (tie && ties > 0) --ties;
    }
  }
}

void check_finite(const Parameter& parameter, const at::Tensor& importance) {
  if (at::isfinite(importance).all().item<bool>()) return;
  throw std::runtime_error{
      fmt::format("pruning: the importance of {} is not finite: have the initial weights diverged?",
                  parameter.name)};
}

[[noreturn]] void refuse_ratio(double ratio, std::int64_t all, std::int64_t floors) {
  const auto most = static_cast<double>(all - floors) / static_cast<double>(all);
  throw ConfigError{"worker specification",
                    {{"/method/pruning_ratio",
                      fmt::format("found {}, but every layer keeps 1 % of its weights and one "
                                  "filter, {} of {} weights; expected at most {:.4f}",
                                  ratio, floors, all, std::floor(most * 1e4) / 1e4)}}};
}

Importances importances_of(Model& model, const Dataset& dataset, const PruningOptions& options,
                           std::int64_t seed) {
  if (options.score == "grasp") {
    return grasp_importances(model, dataset.balanced_batch(seed, options.samples_per_class));
  }
  if (options.score == "magnitude") return magnitude_importances(model);
  if (options.score == "random") return random_importances(model, seed);
  throw ConfigError{
      "worker specification",
      {{"/method/score", fmt::format("found \"{}\", expected one of {}", options.score,
                                     fmt::join(pruning_scores(), ", "))}}};
}

}  // namespace

std::vector<std::string> pruning_scores() { return {"grasp", "magnitude", "random"}; }

std::int64_t layer_floor(const at::Tensor& weights) {
  const auto hundredth = (weights.numel() + kFloorDivisor - 1) / kFloorDivisor;
  return std::max(hundredth, weights.numel() / weights.size(0));
}

WeightMasks choose_masks(Model& model, const Dataset& dataset, const PruningOptions& options,
                         std::int64_t seed) {
  return masks_of(parameters_of(model), importances_of(model, dataset, options, seed),
                  options.ratio);
}

WeightMasks masks_of(const std::vector<Parameter>& parameters, const Importances& importances,
                     double ratio) {
  std::vector<at::Tensor> masks(parameters.size());
  std::vector<Layer> layers;
  std::int64_t all = 0;
  std::int64_t floors = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].prunable) continue;
    check_finite(parameters[i], importances.at(i));
    masks[i] = at::zeros(importances[i].sizes(), at::kBool);
    layers.push_back(
        {importances[i].const_data_ptr<float>(), masks[i].data_ptr<bool>(), masks[i].numel()});
    const auto floor = layer_floor(parameters[i].tensor);
    keep_largest({layers.back()}, floor);
    all += masks[i].numel();
    floors += floor;
  }
  const auto kept = all - std::llround(ratio * static_cast<double>(all));
  if (kept < floors) refuse_ratio(ratio, all, floors);
  keep_largest(layers, kept - floors);
  WeightMasks result{parameters};
  for (std::size_t i = 0; i < masks.size(); ++i) {
    if (masks[i].defined()) result.set_mask(i, masks[i]);
  }
  return result;
}

}  // namespace pacbench
