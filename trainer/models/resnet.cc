#include "trainer/models/networks.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <string>

namespace pacbench::trainer {
namespace {

namespace nn = torch::nn;

/// The two kinds of blocks of He et al. 2015 (figure 5): two 3x3 convolutions, or 1x1, 3x3 and 1x1
/// with a narrower middle. The first 3x3 convolution has the stride, as in torchvision.
enum class Block { kBasic, kBottleneck };

/// The factor by which a block's output is wider than its middle.
constexpr std::int64_t expansion(Block block) { return block == Block::kBasic ? 1 : 4; }

struct ResNetLayout {
  const char* name;
  const char* summary;
  Block block;
  std::vector<int> blocks;    ///< of each stage
  std::int64_t width;         ///< of the first stage; it doubles from stage to stage
  bool for_imagenet = false;  ///< begins as ImageNet's networks do, and resizes its images
};

/// A convolution without bias, padded so that only its stride changes height and width.
nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel,
                       std::int64_t stride) {
  return nn::Conv2d{
      nn::Conv2dOptions{in, out, kernel}.stride(stride).padding(kernel / 2).bias(false)};
}

/// Convolutions one after another, each with its batch norm. Their result is added to a shortcut: a
/// projection where the block changes the shape, torchvision's `downsample.0` and `.1`.
class ResidualBlock : public nn::Module {
 public:
  struct Convolution {
    std::int64_t out;
    std::int64_t kernel;
    std::int64_t stride;
  };

  ResidualBlock(std::int64_t in, std::int64_t stride, const std::vector<Convolution>& layout) {
    auto channels = in;
    for (const auto& each : layout) {
      const auto number = std::to_string(convs_.size() + 1);
      convs_.push_back(register_module("conv" + number,
                                       convolution(channels, each.out, each.kernel, each.stride)));
      norms_.push_back(register_module("bn" + number, nn::BatchNorm2d{each.out}));
      channels = each.out;
    }
    if (stride == 1 && in == channels) return;
    const nn::Sequential projection(convolution(in, channels, 1, stride),
                                    nn::BatchNorm2d{channels});
    downsample_ = register_module("downsample", projection);
  }

  at::Tensor forward(at::Tensor x) {
    auto y = x;
    for (std::size_t i = 0; i < convs_.size(); ++i) {
      y = norms_[i]->forward(convs_[i]->forward(y));
      if (i + 1 < convs_.size()) y.relu_();
    }
    y += downsample_ ? downsample_->forward(x) : x;
    return y.relu_();
  }

 private:
  std::vector<nn::Conv2d> convs_;
  std::vector<nn::BatchNorm2d> norms_;
  nn::Sequential downsample_{nullptr};
};

std::shared_ptr<ResidualBlock> make_block(Block block, std::int64_t in, std::int64_t width,
                                          std::int64_t stride) {
  using Layout = std::vector<ResidualBlock::Convolution>;
  const auto layout =
      block == Block::kBasic
          ? Layout{{width, 3, stride}, {width, 3, 1}}
          : Layout{{width, 1, 1}, {width, 3, stride}, {width * expansion(block), 1, 1}};
  return std::make_shared<ResidualBlock>(in, stride, layout);
}

class ResNet : public Model {
 public:
  ResNet(const ResNetLayout& layout, std::int64_t image_size, std::int64_t image_channels,
         std::int64_t classes)
      : image_size_{image_size},
        pools_{layout.for_imagenet},
        conv1_{register_module("conv1", pools_ ? convolution(image_channels, layout.width, 7, 2)
                                               : convolution(image_channels, layout.width, 3, 1))},
        bn1_{register_module("bn1", nn::BatchNorm2d{layout.width})} {
    auto in = layout.width;
    auto width = layout.width;
    for (const int blocks : layout.blocks) {
      nn::Sequential stage;
      for (int i = 0; i < blocks; ++i) {
        const std::int64_t stride = i == 0 && !stages_.empty() ? 2 : 1;
        stage->push_back(make_block(layout.block, in, width, stride));
        in = width * expansion(layout.block);
      }
      stages_.push_back(register_module(fmt::format("layer{}", stages_.size() + 1), stage));
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
  std::vector<nn::Sequential> stages_;
  nn::Linear fc_{nullptr};
};

ModelEntry network_of(const ResNetLayout& layout) {
  ModelInfo info{layout.name, layout.summary, {}};
  if (layout.for_imagenet) {
    info.options = {image_size_option(32)};
    info.min_side = 32;
  }
  const auto make = [layout](const Choice& choice, const DatasetInfo& dataset) {
    const std::int64_t image_size =
        layout.for_imagenet ? choice.options.at("image_size").get<std::int64_t>() : 0;
    return std::make_shared<ResNet>(layout, image_size, dataset.shape.at(0), dataset.classes);
  };
  return {info, make};
}

}  // namespace

std::vector<ModelEntry> resnet_networks() {
  return {network_of({"resnet8",
                      "residual network, 3 stages of 1 block, 16 to 64 channels",
                      Block::kBasic,
                      {1, 1, 1},
                      16}),
          network_of({"resnet20",
                      "residual network, 3 stages of 3 blocks, 16 to 64 channels",
                      Block::kBasic,
                      {3, 3, 3},
                      16}),
          network_of({"resnet18",
                      "residual network, 4 stages of 2 blocks, 64 to 512 channels, 3x3 stem",
                      Block::kBasic,
                      {2, 2, 2, 2},
                      64}),
          network_of({"resnet50",
                      "residual network of bottlenecks, ImageNet's 7x7 stem; resizes its images",
                      Block::kBottleneck,
                      {3, 4, 6, 3},
                      64,
                      /*for_imagenet=*/true}),
          network_of({"resnet152",
                      "residual network of bottlenecks, 3x3 stem",
                      Block::kBottleneck,
                      {3, 8, 36, 3},
                      64})};
}

}  // namespace pacbench::trainer
