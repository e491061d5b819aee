#include "trainer/models/networks.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "trainer/models/image_size.h"
#include "trainer/models/transformer.h"

namespace pacbench::trainer {
namespace {

namespace nn = torch::nn;

constexpr TransformerShape kBase{.width = 768, .heads = 12, .causal = false};
constexpr int kBlocks = 12;

struct VitLayout {
  const char* name;
  const char* summary;
  std::int64_t patch;
};

constexpr std::array<VitLayout, 2> kLayouts{
    {{"vit_b_16", "vision transformer, Base, patches of 16x16; resizes its images", 16},
     {"vit_b_4", "vision transformer, Base, patches of 4x4; resizes its images", 4}}};

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

}  // namespace

std::vector<ModelInfo> vit_infos() {
  std::vector<ModelInfo> infos;
  for (const auto& layout : kLayouts) {
    ModelInfo info{layout.name, layout.summary, {image_size_option(layout.patch)}};
    info.channels = 3;
    info.min_side = 32;
    infos.push_back(info);
  }
  return infos;
}

std::shared_ptr<Model> make_vit(const Choice& choice, const DatasetInfo& dataset) {
  const auto layout = std::find_if(kLayouts.begin(), kLayouts.end(),
                                   [&](const VitLayout& each) { return choice.name == each.name; });
  if (layout == kLayouts.end()) {
    throw std::logic_error{
        fmt::format("{} is in the table of models but has no layout", choice.name)};
  }
  return std::make_shared<VisionTransformer>(choice.options.at("image_size"), layout->patch,
                                             dataset.classes);
}

}  // namespace pacbench::trainer
