#include "trainer/models/image_size.h"

#include <fmt/format.h>
#include <torch/torch.h>

namespace pacbench::trainer {

OptionSpec image_size_option(std::int64_t multiple_of) {
  OptionSpec option;
  option.name = "image_size";
  option.type = OptionSpec::Type::kInteger;
  option.default_value = 224;
  option.range = {32.0, 1024.0, false};
  option.multiple_of = multiple_of;
  option.help = fmt::format(
      "height and width to which images are resized (bilinear, antialias), a multiple of {}",
      multiple_of);
  return option;
}

at::Tensor resized(const at::Tensor& images, std::int64_t size) {
  if (images.size(2) == size && images.size(3) == size) return images;
  return at::_upsample_bilinear2d_aa(images, {size, size}, /*align_corners=*/false);
}

}  // namespace pacbench::trainer
