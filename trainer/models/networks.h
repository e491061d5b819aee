#pragma once

#include <memory>

#include "trainer/models/model.h"

/// The networks, each with its catalogue entries.
namespace pacbench::trainer {

/// The catalogue's entry of `mlp`.
ModelInfo mlp_info();

/// Fully connected layers fc1, fc2, ... with ReLU between them. Option `hidden` has the widths of
/// all but the last layer, which is as wide as there are classes.
std::shared_ptr<Model> make_mlp(const Choice& choice, const DatasetInfo& dataset);

/// The catalogue's entries of `resnet8`, `resnet20`, `resnet18`, `resnet50` and `resnet152`.
std::vector<ModelInfo> resnet_infos();

/// Residual networks (He et al. 2015). resnet8 and resnet20 have three stages of 16, 32 and 64
/// channels, the others four of 64 to 512; blocks of resnet50 and resnet152 put out four times as
/// many. All but resnet50 begin with a 3x3 convolution, for small images. resnet50 begins with
/// ImageNet's 7x7 convolution and pooling, and resizes its images to option `image_size`.
std::shared_ptr<Model> make_resnet(const Choice& choice, const DatasetInfo& dataset);

/// The catalogue's entry of `vgg19_bn`.
ModelInfo vgg_info();

/// VGG-19 with batch norm (Simonyan and Zisserman 2014, configuration E) for small images. The
/// output of the convolutions is averaged over height and width. One linear layer classifies the
/// averages or, with option `classifier` three_fc, three linear layers with 4096 units between
/// them, as in the paper. There is no dropout.
std::shared_ptr<Model> make_vgg(const Choice& choice, const DatasetInfo& dataset);

/// The catalogue's entries of `vit_b_16` and `vit_b_4`.
std::vector<ModelInfo> vit_infos();

/// Vision transformers of size Base (Dosovitskiy et al. 2020): patches of 16x16 or 4x4 pixels, 12
/// blocks of width 768. Images are resized to option `image_size`.
std::shared_ptr<Model> make_vit(const Choice& choice, const DatasetInfo& dataset);

/// The catalogue's entry of `char-gpt`.
ModelInfo char_gpt_info();

/// A decoder of transformer blocks (Radford et al. 2018) that predicts, for each character, the one
/// that follows, without looking ahead. Options `layers` and `width` give its size, 4.8 million
/// parameters by default; a head of attention is 64 wide. There is no dropout.
std::shared_ptr<Model> make_char_gpt(const Choice& choice, const DatasetInfo& dataset);

}  // namespace pacbench::trainer
