#pragma once

#include <memory>

#include "trainer/models/model.h"

namespace pacbench::trainer {

/// The catalogue's entry of `vgg19_bn`.
ModelInfo vgg_info();

/// VGG-19 with batch norm (Simonyan and Zisserman 2014, configuration E) for small images. The
/// output of the convolutions is averaged over height and width. One linear layer classifies the
/// averages or, with option `classifier` three_fc, three linear layers with 4096 units between
/// them, as in the paper. There is no dropout.
std::shared_ptr<Model> make_vgg(const Choice& choice, const DatasetInfo& dataset);

}  // namespace pacbench::trainer
