#pragma once

#include <memory>

#include "trainer/models/model.h"

namespace pacbench::trainer {

/// The catalogue's entries of `resnet8`, `resnet20`, `resnet18`, `resnet50` and `resnet152`.
std::vector<ModelInfo> resnet_infos();

/// Residual networks (He et al. 2015). resnet8 and resnet20 have three stages of 16, 32 and 64
/// channels, the others four of 64 to 512; blocks of resnet50 and resnet152 put out four times as
/// many. All but resnet50 begin with a 3x3 convolution, for small images. resnet50 begins with
/// ImageNet's 7x7 convolution and pooling, and resizes its images to option `image_size`.
std::shared_ptr<Model> make_resnet(const Choice& choice, const DatasetInfo& dataset);

}  // namespace pacbench::trainer
