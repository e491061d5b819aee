#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>

#include "trainer/models/initial_weights.h"
#include "trainer/models/model.h"
#include "trainer/models/networks.h"
#include "trainer/models/transformer.h"

namespace pacbench::trainer {
namespace {

struct Entry {
  ModelInfo info;
  std::shared_ptr<Model> (*make)(const Choice&, const DatasetInfo&);
};

/// A new model gets its line here.
std::vector<Entry> table() {
  std::vector<Entry> entries{
      {mlp_info(), make_mlp}, {vgg_info(), make_vgg}, {char_gpt_info(), make_char_gpt}};
  for (const auto& info : resnet_infos()) entries.push_back({info, make_resnet});
  for (const auto& info : vit_infos()) entries.push_back({info, make_vit});
  return entries;
}

/// Names of the weights of embeddings.
std::vector<std::string> embedding_weights(const Model& model) {
  std::vector<std::string> names;
  for (const auto& item : model.named_modules()) {
    if (dynamic_cast<const torch::nn::EmbeddingImpl*>(item.value().get()) != nullptr) {
      names.push_back(item.key() + ".weight");
    }
  }
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Names of the weights that may be pruned.
std::vector<std::string> prunable_weights(const Model& model) {
  std::vector<std::string> names;
  for (const auto& item : model.named_modules()) {
    const auto* module = item.value().get();
    if (dynamic_cast<const torch::nn::Conv2dImpl*>(module) != nullptr ||
        dynamic_cast<const torch::nn::LinearImpl*>(module) != nullptr) {
      names.push_back(item.key() + ".weight");
    }
    if (dynamic_cast<const SelfAttention*>(module) != nullptr) {
      names.push_back(item.key() + ".in_proj_weight");
    }
  }
  return names;
}

}  // namespace

std::vector<ModelInfo> model_catalogue() {
  std::vector<ModelInfo> infos;
  for (const auto& entry : table()) infos.push_back(entry.info);
  return infos;
}

std::shared_ptr<Model> make_model(const Choice& choice, const DatasetInfo& dataset,
                                  std::int64_t seed) {
  std::vector<std::string> names;
  for (const auto& entry : table()) {
    names.push_back(entry.info.name);
    if (entry.info.name != choice.name) continue;
    if (const auto reason = misfit(entry.info, dataset); !reason.empty()) {
      throw ConfigError{"model", {{"/workload/model/name", reason}}};
    }
    auto model = entry.make(choice, dataset);
    initialise_weights(*model, seed);
    return model;
  }
  throw ConfigError{"model",
                    {{"/workload/model/name", fmt::format("found \"{}\", expected one of {}",
                                                          choice.name, fmt::join(names, ", "))}}};
}

std::vector<Parameter> parameters_of(const Model& model) {
  const auto prunable = prunable_weights(model);
  const auto embeddings = embedding_weights(model);
  std::vector<Parameter> parameters;
  for (const auto& item : model.named_parameters()) {
    parameters.push_back({item.key(), item.value(), contains(prunable, item.key()),
                          contains(embeddings, item.key())});
  }
  return parameters;
}

}  // namespace pacbench::trainer
