#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "trainer/data/dataset.h"
#include "trainer/models/model.h"
#include "trainer/pruning/importance.h"
#include "trainer/pruning/weight_masks.h"

namespace pacbench::trainer {

inline std::shared_ptr<const Dataset> digits() {
  return load_dataset({"digits", {{"transform", "none"}}}, "");
}

/// An MLP of 64-24-16-10 units, or the model `name`, such as a ResNet.
inline std::shared_ptr<Model> small_net(const std::string& name = "mlp") {
  return make_model({name, {{"hidden", {24, 16}}}}, dataset_info("digits"), 3);
}

/// The values of all defined tensors, one after the other.
inline at::Tensor flat(const Importances& importances) {
  std::vector<at::Tensor> parts;
  for (const auto& part : importances) {
    if (part.defined()) parts.push_back(part.detach().flatten());
  }
  return at::cat(parts);
}

inline at::Tensor flat(const WeightMasks& masks) {
  Importances parts;
  for (std::size_t i = 0; i < masks.size(); ++i) parts.push_back(masks.mask(i));
  return flat(parts);
}

/// |a - b| / |b|.
inline double relative_error(const Importances& a, const Importances& b) {
  return ((flat(a) - flat(b)).norm() / flat(b).norm()).item<double>();
}

/// The share of the weights that both masks keep or both prune.
inline double same_share(const WeightMasks& a, const WeightMasks& b) {
  return flat(a).eq(flat(b)).to(at::kDouble).mean().item<double>();
}

}  // namespace pacbench::trainer
