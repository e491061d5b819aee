#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace pacbench::trainer {

/// The usual augmentation of CIFAR, in place on uint8 [n, c, h, w]. Each image is shifted by up to
/// 4 pixels both ways (a random crop after padding with 0) and mirrored with probability 1/2. Image
/// i uses the random numbers of (`seed`, `first_place` + i), its place in the stream.
void augment(at::Tensor& images, std::int64_t seed, std::int64_t first_place);

/// Names of the fixed transforms of a whole data set: "none", "rotate90", ...
std::vector<std::string> transform_names();

/// The images turned, mirrored or inverted; `maximum` is the value of full intensity. The result
/// is contiguous. Throws ConfigError for an unknown name.
at::Tensor transformed(const at::Tensor& images, const std::string& name, int maximum);

}  // namespace pacbench::trainer
