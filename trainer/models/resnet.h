#pragma once

#include <memory>

#include "trainer/models/model.h"

namespace pacbench {

/// The catalogue's entries of `resnet8`, `resnet20` and `resnet18`.
std::vector<ModelInfo> resnet_infos();

/// Residual networks (He et al. 2015) for small images: a 3x3 stem without pooling, basic blocks,
/// projection shortcuts where the shape changes. resnet8 and resnet20 have three stages of 16, 32
/// and 64 channels; resnet18 four of 64 to 512.
std::shared_ptr<Model> make_resnet(const Choice& choice, const DatasetInfo& dataset);

}  // namespace pacbench
