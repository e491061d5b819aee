#include "trainer/models/resnet.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>

namespace pacbench {
namespace {

namespace nn = torch::nn;

struct Layout {
  const char* name;
  const char* summary;
  std::vector<std::int64_t> stage_channels;
  int blocks_per_stage;
};

const std::array<Layout, 3>& layouts() {
  static const std::array<Layout, 3> all{{
      {"resnet8", "residual network, 3 stages of 1 block, 16 to 64 channels", {16, 32, 64}, 1},
      {"resnet20", "residual network, 3 stages of 3 blocks, 16 to 64 channels", {16, 32, 64}, 3},
      {"resnet18",
       "residual network, 4 stages of 2 blocks, 64 to 512 channels, 3x3 stem",
       {64, 128, 256, 512},
       2},
  }};
  return all;
}

nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel,
                       std::int64_t stride) {
  return nn::Conv2d{
      nn::Conv2dOptions{in, out, kernel}.stride(stride).padding(kernel / 2).bias(false)};
}

/// The shortcut of a block that changes the shape; torchvision's `downsample.0` and `.1`.
class Projection : public nn::Module {
 public:
  Projection(std::int64_t in, std::int64_t out, std::int64_t stride)
      : conv_{register_module("0", convolution(in, out, 1, stride))},
        norm_{register_module("1", nn::BatchNorm2d{out})} {}

  at::Tensor forward(const at::Tensor& x) { return norm_->forward(conv_->forward(x)); }

 private:
  nn::Conv2d conv_;
  nn::BatchNorm2d norm_;
};

class BasicBlock : public nn::Module {
 public:
  BasicBlock(std::int64_t in, std::int64_t out, std::int64_t stride)
      : conv1_{register_module("conv1", convolution(in, out, 3, stride))},
        bn1_{register_module("bn1", nn::BatchNorm2d{out})},
        conv2_{register_module("conv2", convolution(out, out, 3, 1))},
        bn2_{register_module("bn2", nn::BatchNorm2d{out})} {
    if (stride == 1 && in == out) return;
    downsample_ = register_module("downsample", std::make_shared<Projection>(in, out, stride));
  }

  at::Tensor forward(const at::Tensor& x) {
    auto y = bn1_->forward(conv1_->forward(x)).relu_();
    y = bn2_->forward(conv2_->forward(y));
    y += downsample_ ? downsample_->forward(x) : x;
    return y.relu_();
  }

 private:
  nn::Conv2d conv1_;
  nn::BatchNorm2d bn1_;
  nn::Conv2d conv2_;
  nn::BatchNorm2d bn2_;
  std::shared_ptr<Projection> downsample_;
};

/// Blocks of one width; the first may halve height and width.
class Stage : public nn::Module {
 public:
  Stage(std::int64_t in, std::int64_t out, std::int64_t stride, int blocks) {
    for (int i = 0; i < blocks; ++i) {
      blocks_.push_back(register_module(
          std::to_string(i),
          std::make_shared<BasicBlock>(i == 0 ? in : out, out, i == 0 ? stride : 1)));
    }
  }

  at::Tensor forward(at::Tensor x) {
    for (auto& block : blocks_) x = block->forward(x);
    return x;
  }

 private:
  std::vector<std::shared_ptr<BasicBlock>> blocks_;
};

class ResNet : public Model {
 public:
  ResNet(const Layout& layout, std::int64_t image_channels, std::int64_t classes)
      : conv1_{register_module("conv1",
                               convolution(image_channels, layout.stage_channels[0], 3, 1))},
        bn1_{register_module("bn1", nn::BatchNorm2d{layout.stage_channels[0]})} {
    std::int64_t in = layout.stage_channels[0];
    for (const auto out : layout.stage_channels) {
      const std::int64_t stride = stages_.empty() ? 1 : 2;
      stages_.push_back(
          register_module(fmt::format("layer{}", stages_.size() + 1),
                          std::make_shared<Stage>(in, out, stride, layout.blocks_per_stage)));
      in = out;
    }
    fc_ = register_module("fc", nn::Linear{in, classes});
  }

  at::Tensor forward(at::Tensor images) override {
    auto x = bn1_->forward(conv1_->forward(images)).relu_();
    for (auto& stage : stages_) x = stage->forward(x);
    return fc_->forward(x.mean({2, 3}));
  }

 private:
  nn::Conv2d conv1_;
  nn::BatchNorm2d bn1_;
  std::vector<std::shared_ptr<Stage>> stages_;
  nn::Linear fc_{nullptr};
};

}  // namespace

std::vector<ModelInfo> resnet_infos() {
  std::vector<ModelInfo> infos;
  for (const auto& layout : layouts()) infos.push_back({layout.name, layout.summary, {}});
  return infos;
}

std::shared_ptr<Model> make_resnet(const Choice& choice, const DatasetInfo& dataset) {
  const auto& all = layouts();
  const auto layout = std::find_if(all.begin(), all.end(),
                                   [&](const Layout& each) { return choice.name == each.name; });
  if (layout == all.end()) {
    throw std::logic_error{
        fmt::format("{} is in the table of models but has no layout", choice.name)};
  }
  return std::make_shared<ResNet>(*layout, dataset.shape.at(0), dataset.classes);
}

}  // namespace pacbench
