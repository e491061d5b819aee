#include "trainer/models/networks.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>

#include "trainer/models/image_size.h"
#include "trainer/models/resnet_blocks.h"

namespace pacbench::trainer {
namespace {

namespace nn = torch::nn;

enum class Stem { kSmallImages, kImageNet };

struct ResNetLayout {
  const char* name;
  const char* summary;
  Block block;
  std::vector<int> blocks;  ///< of each stage
  std::int64_t width;       ///< of the first stage; it doubles from stage to stage
  Stem stem = Stem::kSmallImages;
};

const std::array<ResNetLayout, 5>& layouts() {
  static const std::array<ResNetLayout, 5> all{{
      {"resnet8",
       "residual network, 3 stages of 1 block, 16 to 64 channels",
       Block::kBasic,
       {1, 1, 1},
       16},
      {"resnet20",
       "residual network, 3 stages of 3 blocks, 16 to 64 channels",
       Block::kBasic,
       {3, 3, 3},
       16},
      {"resnet18",
       "residual network, 4 stages of 2 blocks, 64 to 512 channels, 3x3 stem",
       Block::kBasic,
       {2, 2, 2, 2},
       64},
      {"resnet50",
       "residual network of bottlenecks, ImageNet's 7x7 stem; resizes its images",
       Block::kBottleneck,
       {3, 4, 6, 3},
       64,
       Stem::kImageNet},
      {"resnet152",
       "residual network of bottlenecks, 3x3 stem",
       Block::kBottleneck,
       {3, 8, 36, 3},
       64},
  }};
  return all;
}

class ResNet : public Model {
 public:
  ResNet(const ResNetLayout& layout, std::int64_t image_size, std::int64_t image_channels,
         std::int64_t classes)
      : image_size_{image_size},
        pools_{layout.stem == Stem::kImageNet},
        conv1_{register_module("conv1", pools_ ? convolution(image_channels, layout.width, 7, 2)
                                               : convolution(image_channels, layout.width, 3, 1))},
        bn1_{register_module("bn1", nn::BatchNorm2d{layout.width})} {
    auto in = layout.width;
    auto width = layout.width;
    for (const int blocks : layout.blocks) {
      const std::int64_t stride = stages_.empty() ? 1 : 2;
      stages_.push_back(register_module(fmt::format("layer{}", stages_.size() + 1),
                                        make_stage(layout.block, in, width, stride, blocks)));
      in = width * expansion(layout.block);
      width *= 2;
    }
    fc_ = register_module("fc", nn::Linear{in, classes});
  }

  at::Tensor forward(at::Tensor images) override {
    if (image_size_ > 0) images = resized(images, image_size_);
    auto x = bn1_->forward(conv1_->forward(images)).relu_();
    if (pools_) x = at::max_pool2d(x, 3, 2, 1);
    for (auto& stage : stages_) x = stage->forward(x);
    return fc_->forward(x.mean({2, 3}));
  }

 private:
  std::int64_t image_size_;  ///< 0: images are not resized
  bool pools_;
  nn::Conv2d conv1_;
  nn::BatchNorm2d bn1_;
  std::vector<std::shared_ptr<ResidualPart>> stages_;
  nn::Linear fc_{nullptr};
};

}  // namespace

std::vector<ModelInfo> resnet_infos() {
  std::vector<ModelInfo> infos;
  for (const auto& layout : layouts()) {
    ModelInfo info{layout.name, layout.summary, {}};
    if (layout.stem == Stem::kImageNet) {
      info.options = {image_size_option(32)};
      info.min_side = 32;
    }
    infos.push_back(info);
  }
  return infos;
}

std::shared_ptr<Model> make_resnet(const Choice& choice, const DatasetInfo& dataset) {
  const auto& all = layouts();
  const auto layout = std::find_if(
      all.begin(), all.end(), [&](const ResNetLayout& each) { return choice.name == each.name; });
  if (layout == all.end()) {
    throw std::logic_error{
        fmt::format("{} is in the table of models but has no layout", choice.name)};
  }
  const std::int64_t image_size =
      layout->stem == Stem::kImageNet ? choice.options.at("image_size").get<std::int64_t>() : 0;
  return std::make_shared<ResNet>(*layout, image_size, dataset.shape.at(0), dataset.classes);
}

}  // namespace pacbench::trainer
