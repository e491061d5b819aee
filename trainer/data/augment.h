#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "contract/catalogue/catalogue.h"

namespace pacbench::trainer {

/// Augments uint8 [n, c, h, w] in place, as is usual for CIFAR. Each image is shifted by up to 4
/// pixels along each axis (a random crop after padding with 0) and mirrored with probability 1/2.
/// Image i has place `first_place` + i in the stream of training samples. Its random numbers are a
/// function of `seed` and this place.
void augment(at::Tensor& images, std::int64_t seed, std::int64_t first_place);

/// Option `transform`: a fixed transform of a whole data set, "none" by default.
OptionSpec transform_option();

/// Returns the images turned, mirrored, inverted or, for "none", unchanged. `maximum` is the value
/// of full intensity. The result is contiguous. Throws ConfigError for an unknown name.
at::Tensor transformed(const at::Tensor& images, const std::string& name, int maximum);

}  // namespace pacbench::trainer
