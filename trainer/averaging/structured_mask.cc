#include "trainer/averaging/structured_mask.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trainer/kernels/largest.h"

namespace pacbench::trainer {

at::Tensor StructuredMask::compact(const at::Tensor& weights) const {
  auto kept = weights;
  if (filters.defined()) kept = kept.index_select(0, filters.to(weights.device()));
  if (channels.defined()) kept = kept.index_select(1, channels.to(weights.device()));
  return kept.flatten();
}

void StructuredMask::expand(const at::Tensor& kept, at::Tensor weights) const {
  auto shape = weights.sizes().vec();
  if (filters.defined()) shape[0] = filters.numel();
  auto rows = at::zeros(shape, weights.options());
  if (channels.defined()) {
    shape[1] = channels.numel();
    rows.index_copy_(1, channels.to(weights.device()), kept.view(shape));
  } else {
    rows.copy_(kept.view(shape));
  }
  if (filters.defined()) {
    weights.zero_().index_copy_(0, filters.to(weights.device()), rows);
  } else {
    weights.copy_(rows);
  }
}

void StructuredMask::zero_outside(at::Tensor weights) const {
  if (!keeps_all()) expand(compact(weights), weights);
}

Structure::Structure(const Layout& layout, const Options& options)
    : pruning_ratio_{options.pruning_ratio} {
  std::map<int, const ParameterSlice*> layers;
  for (const auto& bucket : layout) {
    for (const auto& slice : bucket.slices) {
      if (slice.prunable) layers[slice.parameter] = &slice;
    }
  }
  if (layers.empty()) return;
  const auto* first = layers.begin()->second;
  const auto* last = layers.rbegin()->second;
  for (const auto& [parameter, layer] : layers) {
    if (options.filters && layer != last) add(*layer, 0);
    if (options.channels && layer != first) add(*layer, 1);
  }
}

void Structure::add(const ParameterSlice& slice, std::int64_t dimension) {
  const auto count = slice.shape.at(static_cast<std::size_t>(dimension));
  const auto kept = pacbench::trainer::kept_of(1 - pruning_ratio_, count);
  if (kept == count) return;
  layers_[slice.parameter].push_back({dimension, count, kept, scores_});
  scores_ += count;
}

std::int64_t Structure::kept_of(const ParameterSlice& slice) const {
  auto kept = slice.elements;
  if (const auto found = layers_.find(slice.parameter); found != layers_.end()) {
    for (const auto& groups : found->second) kept = kept / groups.count * groups.kept;
  }
  return kept;
}

std::int64_t Structure::kept_of(const BucketLayout& bucket) const {
  std::int64_t kept = 0;
  for (const auto& slice : bucket.slices) kept += kept_of(slice);
  return kept;
}

void Structure::require_some(const char* method) const {
  if (pruning_ratio_ == 0 || !keeps_all()) return;
  throw std::invalid_argument{fmt::format(
      "{0}: found no layer with a filter or channel to prune at pruning_ratio {1}, expected a "
      "hidden layer of more than {2:.0f} filters; take another model, a larger pruning_ratio, or "
      "pruning_ratio 0, which prunes nothing",
      method, pruning_ratio_, std::max(1.0, std::floor(0.5 / pruning_ratio_)))};
}

at::Tensor Structure::scores(const std::vector<at::Tensor>& weights, c10::Device device) const {
  std::vector<at::Tensor> all;
  for (const auto& [parameter, dimensions] : layers_) {
    for (const auto& groups : dimensions) {
      const auto& layer = weights.at(static_cast<std::size_t>(parameter));
      all.push_back(layer.transpose(0, groups.dimension).flatten(1).square().sum(1));
    }
  }
  return at::cat(all).to(device);
}

std::vector<StructuredMask> Structure::masks(const at::Tensor& scores,
                                             std::size_t parameters) const {
  std::vector<StructuredMask> masks(parameters);
  for (const auto& [parameter, dimensions] : layers_) {
    auto& mask = masks.at(static_cast<std::size_t>(parameter));
    for (const auto& groups : dimensions) {
      const auto own = scores.narrow(0, groups.first_score, groups.count).contiguous();
      auto& kept = groups.dimension == 0 ? mask.filters : mask.channels;
      kept = largest(own, groups.kept);
    }
  }
  return masks;
}

}  // namespace pacbench::trainer
