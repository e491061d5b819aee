#include "trainer/pruning/threshold.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "base/errors.h"

namespace pacbench::trainer {
namespace {

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

void check_finite(const Parameter& parameter, const at::Tensor& importance) {
  if (at::isfinite(importance).all().item<bool>()) return;
  throw std::runtime_error{
      fmt::format("pruning: the importance of {} is not finite: has the training diverged, or the "
                  "one that made the initial weights?",
                  parameter.name)};
}

void keep(const std::vector<Layer>& layers, double ratio, ShareOf share) {
  std::int64_t all = 0;
  std::int64_t floors = 0;
  for (const auto& layer : layers) {
    keep_largest({layer}, layer.floor);
    all += layer.size;
    floors += layer.floor;
  }
  if (share == ShareOf::kModel) {
    keep_largest(layers, all - removed(all, ratio) - floors);
    return;
  }
  for (const auto& layer : layers) {
    const auto kept = layer.size - removed(layer.size, ratio);
    keep_largest({layer}, std::max<std::int64_t>(kept - layer.floor, 0));
  }
}

}  // namespace

std::int64_t layer_floor(const at::Tensor& weights) {
  const auto hundredth = (weights.numel() + kFloorDivisor - 1) / kFloorDivisor;
  return std::max(hundredth, weights.numel() / weights.size(0));
}

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

WeightMasks masks_of(const std::vector<Parameter>& parameters, const Importances& importances,
                     double ratio, const WeightMasks& present, ShareOf share) {
  check_ratio(parameters, ratio);
  const WeightMasks before = present.empty() ? WeightMasks{parameters} : present;
  std::vector<at::Tensor> masks(parameters.size());
  std::vector<Layer> layers;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].prunable) continue;
    check_finite(parameters[i], importances.at(i));
    masks[i] = at::zeros(importances[i].sizes(), at::kBool);
    layers.push_back({importances[i].const_data_ptr<float>(), before.mask(i).const_data_ptr<bool>(),
                      masks[i].data_ptr<bool>(), masks[i].numel(),
                      layer_floor(parameters[i].tensor)});
  }
  keep(layers, ratio, share);
  WeightMasks result{parameters};
  for (std::size_t i = 0; i < masks.size(); ++i) {
    if (masks[i].defined()) result.set_mask(i, masks[i]);
  }
  return result;
}

}  // namespace pacbench::trainer
