#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "contract/catalogue/catalogue.h"

namespace pacbench::trainer {

/// Option `image_size`: height and width to which a model resizes its images, 224 by default.
OptionSpec image_size_option(std::int64_t multiple_of);

/// Resizes images [batch, channels, height, width] to `size` by `size` pixels: bilinear with
/// antialias, as torchvision's Resize does by default. Returns images of that size unchanged.
at::Tensor resized(const at::Tensor& images, std::int64_t size);

}  // namespace pacbench::trainer
