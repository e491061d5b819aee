#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <set>

#include "trainer/models/model.h"
#include "trainer/models/networks.h"
#include "trainer/models/transformer.h"

namespace pacbench::trainer {
namespace {

/// A new model gets its line here.
std::vector<ModelEntry> networks() {
  std::vector<ModelEntry> all{mlp_network(), vgg_network(), char_gpt_network()};
  for (const auto& each : resnet_networks()) all.push_back(each);
  for (const auto& each : vit_networks()) all.push_back(each);
  return all;
}

}  // namespace

std::vector<ModelInfo> model_catalogue() {
  std::vector<ModelInfo> infos;
  for (const auto& network : networks()) infos.push_back(network.info);
  return infos;
}

std::shared_ptr<Model> make_model(const Choice& choice, const DatasetInfo& dataset,
                                  std::int64_t seed) {
  std::vector<std::string> names;
  for (const auto& [info, make] : networks()) {
    names.push_back(info.name);
    if (info.name != choice.name) continue;
    if (const auto reason = misfit(info, dataset); !reason.empty()) {
      throw ConfigError{"model", {{"/workload/model/name", reason}}};
    }
    auto model = make(choice, dataset);
    initialise_weights(*model, seed);
    return model;
  }
  throw ConfigError{"model",
                    {{"/workload/model/name", fmt::format("found \"{}\", expected one of {}",
                                                          choice.name, fmt::join(names, ", "))}}};
}

std::vector<Parameter> parameters_of(const Model& model) {
  namespace nn = torch::nn;
  std::set<std::string> prunable;
  std::set<std::string> embeddings;
  for (const auto& item : model.named_modules()) {
    const nn::Module& module = *item.value();
    if (module.as<nn::Embedding>() != nullptr) embeddings.insert(item.key() + ".weight");
    if (module.as<nn::Conv2d>() != nullptr || module.as<nn::Linear>() != nullptr) {
      prunable.insert(item.key() + ".weight");
    }
    if (module.as<SelfAttention>() != nullptr) prunable.insert(item.key() + ".in_proj_weight");
  }
  std::vector<Parameter> parameters;
  for (const auto& item : model.named_parameters()) {
    parameters.push_back(
        {item.key(), item.value(), prunable.contains(item.key()), embeddings.contains(item.key())});
  }
  return parameters;
}

OptionSpec image_size_option(std::int64_t multiple_of) {
  OptionSpec option{
      "image_size",
      OptionSpec::Type::kInteger,
      224,
      {32.0, 1024.0},
      {},
      fmt::format(
          "height and width to which images are resized (bilinear, antialias), a multiple of {}",
          multiple_of)};
  option.multiple_of = multiple_of;
  return option;
}

at::Tensor resized(const at::Tensor& images, std::int64_t size) {
  if (images.size(2) == size && images.size(3) == size) return images;
  return at::_upsample_bilinear2d_aa(images, {size, size}, /*align_corners=*/false);
}

}  // namespace pacbench::trainer
