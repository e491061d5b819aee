#pragma once

#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <memory>

namespace pacbench::trainer {

/// A module that turns images [batch, channels, height, width] into images.
struct ResidualPart : torch::nn::Module {
  virtual at::Tensor forward(at::Tensor x) = 0;
};

/// The two kinds of blocks of He et al. 2015 (figure 5): two 3x3 convolutions, or 1x1, 3x3 and 1x1
/// with a narrower middle. The first 3x3 convolution has the stride, as in torchvision.
enum class Block { kBasic, kBottleneck };

/// The factor by which a block's output is wider than its middle.
constexpr std::int64_t expansion(Block block) { return block == Block::kBasic ? 1 : 4; }

/// A convolution without bias, padded so that only its stride changes height and width.
torch::nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel,
                              std::int64_t stride);

/// `blocks` blocks of one width, numbered from 0; the first has the stride. A block that changes
/// the shape has a projection shortcut, `downsample`.
std::shared_ptr<ResidualPart> make_stage(Block block, std::int64_t in, std::int64_t width,
                                         std::int64_t stride, int blocks);

}  // namespace pacbench::trainer
