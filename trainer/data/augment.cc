#include "trainer/data/augment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <array>
#include <cstring>
#include <utility>

#include "trainer/kernels/philox.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kPadding = 4;

struct Shift {
  std::int64_t down;
  std::int64_t right;
  bool mirror;
};

Shift draw(std::int64_t seed, std::int64_t place) {
  const RandomKey key{.seed = seed,
                      .use = RandomUse::kAugmentation,
                      .iteration = place & 0xFFFFFFFF,
                      .parameter = place >> 32};
  const auto words = Philox4x32::words(key.counter(0), key.philox_key());
  return {bounded(words[0], 2 * kPadding + 1) - kPadding,
          bounded(words[1], 2 * kPadding + 1) - kPadding, (words[2] & 1U) != 0};
}

void move_plane(const std::uint8_t* from, std::uint8_t* to, std::int64_t height, std::int64_t width,
                const Shift& shift) {
  for (std::int64_t y = 0; y < height; ++y) {
    const auto source_y = y + shift.down;
    for (std::int64_t x = 0; x < width; ++x) {
      const auto source_x = (shift.mirror ? width - 1 - x : x) + shift.right;
      const bool inside = source_y >= 0 && source_y < height && source_x >= 0 && source_x < width;
      *to++ = inside ? from[source_y * width + source_x] : std::uint8_t{0};
    }
  }
}

at::Tensor unchanged(const at::Tensor& images, int) { return images; }
at::Tensor rotate90(const at::Tensor& images, int) { return images.rot90(1, {2, 3}); }
at::Tensor rotate180(const at::Tensor& images, int) { return images.rot90(2, {2, 3}); }
at::Tensor flip(const at::Tensor& images, int) { return images.flip({3}); }
at::Tensor invert(const at::Tensor& images, int maximum) {
  return (maximum - images).to(at::kByte);
}

using Transform = at::Tensor (*)(const at::Tensor&, int maximum);
constexpr std::array<std::pair<const char*, Transform>, 5> kTransforms{{{"none", unchanged},
                                                                        {"rotate90", rotate90},
                                                                        {"rotate180", rotate180},
                                                                        {"flip", flip},
                                                                        {"invert", invert}}};

}  // namespace

void augment(at::Tensor& images, std::int64_t seed, std::int64_t first_place) {
  const auto height = images.size(2);
  const auto width = images.size(3);
  std::vector<std::uint8_t> copy(static_cast<std::size_t>(height * width));
  auto* plane = images.data_ptr<std::uint8_t>();
  for (std::int64_t i = 0; i < images.size(0); ++i) {
    const auto shift = draw(seed, first_place + i);
    for (std::int64_t channel = 0; channel < images.size(1); ++channel) {
      std::memcpy(copy.data(), plane, copy.size());
      move_plane(copy.data(), plane, height, width, shift);
      plane += copy.size();
    }
  }
}

OptionSpec transform_option() {
  OptionSpec option{"transform", OptionSpec::Type::kChoice,
                    "none",      {},
                    {},          "changes every image in this way, to pre-train on a related task"};
  for (const auto& [name, transform] : kTransforms) option.choices.emplace_back(name);
  return option;
}

at::Tensor transformed(const at::Tensor& images, const std::string& name, int maximum) {
  for (const auto& [each, transform] : kTransforms) {
    if (name == each) return transform(images, maximum).contiguous();
  }
  throw ConfigError{"data set",
                    {{"/transform", fmt::format("found \"{}\", expected one of {}", name,
                                                fmt::join(transform_option().choices, ", "))}}};
}

}  // namespace pacbench::trainer
