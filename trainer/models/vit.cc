#include "trainer/models/networks.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "trainer/models/transformer.h"

namespace pacbench::trainer {
namespace {

namespace nn = torch::nn;

constexpr TransformerShape kBase{.width = 768, .heads = 12, .causal = false};
constexpr int kBlocks = 12;

class VisionTransformer : public Model {
 public:
  VisionTransformer(std::int64_t image_size, std::int64_t patch, std::int64_t classes)
      : image_size_{image_size},
        class_token_{register_parameter("class_token", at::zeros({1, 1, kBase.width}))},
        conv_proj_{register_module(
            "conv_proj", nn::Conv2d{nn::Conv2dOptions{3, kBase.width, patch}.stride(patch)})},
        encoder_{register_module(
            "encoder", std::make_shared<Encoder>(
                           kBase, kBlocks, 1 + (image_size / patch) * (image_size / patch)))} {
    auto heads = register_module("heads", std::make_shared<nn::Module>("heads"));
    head_ = heads->register_module("head", nn::Linear{kBase.width, classes});
  }

  at::Tensor forward(at::Tensor images) override {
    const auto patches =
        conv_proj_->forward(resized(images, image_size_)).flatten(2).transpose(1, 2);
    const auto tokens = at::cat({class_token_.expand({patches.size(0), -1, -1}), patches}, 1);
    return head_->forward(encoder_->forward(tokens).select(1, 0));
  }

 private:
  std::int64_t image_size_;
  at::Tensor class_token_;
  nn::Conv2d conv_proj_;
  std::shared_ptr<Encoder> encoder_;
  nn::Linear head_{nullptr};
};

ModelEntry vit_network(std::int64_t patch) {
  ModelInfo info{
      fmt::format("vit_b_{}", patch),
      fmt::format("vision transformer, Base, patches of {0}x{0}; resizes its images", patch),
      {image_size_option(patch)}};
  info.channels = 3;
  info.min_side = 32;
  const auto make = [patch](const Choice& choice, const DatasetInfo& dataset) {
    return std::make_shared<VisionTransformer>(choice.options.at("image_size"), patch,
                                               dataset.classes);
  };
  return {info, make};
}

}  // namespace

std::vector<ModelEntry> vit_networks() { return {vit_network(16), vit_network(4)}; }

}  // namespace pacbench::trainer
