#include "trainer/models/resnet_blocks.h"

#include <torch/torch.h>

#include <string>
#include <vector>

namespace pacbench::trainer {
namespace {

namespace nn = torch::nn;

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

/// Convolutions one after another, each with its batch norm. Their result is added to a shortcut.
class ResidualBlock : public ResidualPart {
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
    downsample_ = register_module("downsample", std::make_shared<Projection>(in, channels, stride));
  }

  at::Tensor forward(at::Tensor x) override {
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
  std::shared_ptr<Projection> downsample_;
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

class Stage : public ResidualPart {
 public:
  void append(const std::shared_ptr<ResidualBlock>& block) {
    blocks_.push_back(register_module(std::to_string(blocks_.size()), block));
  }

  at::Tensor forward(at::Tensor x) override {
    for (auto& block : blocks_) x = block->forward(x);
    return x;
  }

 private:
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
};

}  // namespace

nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel,
                       std::int64_t stride) {
  return nn::Conv2d{
      nn::Conv2dOptions{in, out, kernel}.stride(stride).padding(kernel / 2).bias(false)};
}

std::shared_ptr<ResidualPart> make_stage(Block block, std::int64_t in, std::int64_t width,
                                         std::int64_t stride, int blocks) {
  auto stage = std::make_shared<Stage>();
  stage->append(make_block(block, in, width, stride));
  for (int i = 1; i < blocks; ++i) {
    stage->append(make_block(block, width * expansion(block), width, 1));
  }
  return stage;
}

}  // namespace pacbench::trainer
