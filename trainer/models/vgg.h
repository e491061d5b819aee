#pragma once

#include <memory>

#include "trainer/models/model.h"

namespace pacbench::trainer {

/// The catalogue's entry of `vgg19_bn`.
ModelInfo vgg_info();

/// VGG-19 with batch norm (Simonyan and Zisserman 2014, configuration E) for small images: what the
/// convolutions leave is averaged over height and width, and classified by one linear layer or, as
/// option `classifier` says, by three of 4096 as in the paper. There is no dropout.
std::shared_ptr<Model> make_vgg(const Choice& choice, const DatasetInfo& dataset);

}  // namespace pacbench::trainer
