#pragma once

#include <memory>

#include "trainer/models/model.h"

namespace pacbench::trainer {

/// The catalogue's entries of `vit_b_16` and `vit_b_4`.
std::vector<ModelInfo> vit_infos();

/// Vision transformers of size Base (Dosovitskiy et al. 2020): patches of 16x16 or 4x4 pixels, 12
/// blocks of width 768. Images are resized to option `image_size`.
std::shared_ptr<Model> make_vit(const Choice& choice, const DatasetInfo& dataset);

}  // namespace pacbench::trainer
