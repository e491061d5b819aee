#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "trainer/models/model.h"

/// The networks, each with its entry of the catalogue.
namespace pacbench::trainer {

struct ModelEntry {
  ModelInfo info;
  std::function<std::shared_ptr<Model>(const Choice& choice, const DatasetInfo& dataset)> make;
};

/// `mlp`: fully connected layers fc1, fc2, ... with ReLU between them. Option `hidden` has the
/// widths of all but the last layer, which is as wide as there are classes.
ModelEntry mlp_network();

/// `resnet8`, `resnet20`, `resnet18`, `resnet50` and `resnet152`: residual networks (He et al.
/// 2015). resnet8 and resnet20 have three stages of 16, 32 and 64 channels, the others four of 64
/// to 512; blocks of resnet50 and resnet152 put out four times as many. All but resnet50 begin with
/// a 3x3 convolution, for small images. resnet50 begins with ImageNet's 7x7 convolution and
/// pooling, and resizes its images to option `image_size`.
std::vector<ModelEntry> resnet_networks();

/// `vgg19_bn`: VGG-19 with batch norm (Simonyan and Zisserman 2014, configuration E) for small
/// images. The output of the convolutions is averaged over height and width. One linear layer
/// classifies the averages or, with option `classifier` three_fc, three linear layers with 4096
/// units between them, as in the paper. There is no dropout.
ModelEntry vgg_network();

/// `vit_b_16` and `vit_b_4`: vision transformers of size Base (Dosovitskiy et al. 2020): patches of
/// 16x16 or 4x4 pixels, 12 blocks of width 768. Images are resized to option `image_size`.
std::vector<ModelEntry> vit_networks();

/// `char-gpt`: a decoder of transformer blocks (Radford et al. 2018) that predicts, for each
/// character, the one that follows, without looking ahead. Options `layers` and `width` give its
/// size, 4.8 million parameters by default; a head of attention is 64 wide. There is no dropout.
ModelEntry char_gpt_network();

/// Option `image_size`: height and width to which a model resizes its images, 224 by default.
OptionSpec image_size_option(std::int64_t multiple_of);

/// Resizes images [batch, channels, height, width] to `size` by `size` pixels: bilinear with
/// antialias, as torchvision's Resize does by default. Returns images of that size unchanged.
at::Tensor resized(const at::Tensor& images, std::int64_t size);

/// Sets every parameter as a pure function of `seed` and its place in the model, on any machine
/// with any number of threads. Convolutions are normal with variance 2 / fan-out (He et al. 2015).
/// Linear weights and biases are uniform within ±1 / sqrt(fan-in), as torch does by default. Scales
/// of norms are 1. All other tensors (embeddings, class tokens, projections into attention) are
/// normal with deviation 0.02 (Radford et al. 2018). Biases of convolutions and of projections into
/// attention, and shifts of norms, are 0. Attention's output projection is a linear layer.
void initialise_weights(Model& model, std::int64_t seed);

}  // namespace pacbench::trainer
