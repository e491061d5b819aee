#include "trainer/pruning/mask_sample.h"

#include <torch/torch.h>

#include <vector>

#include "trainer/kernels/philox.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kSampledPlaces = 4096;

/// Places of the sampled weights among all prunable ones: every place where there are at most
/// kSampledPlaces, else places drawn with replacement by a key that is the same in every cell.
std::vector<std::int64_t> sampled_places(std::int64_t prunable) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(std::min(prunable, kSampledPlaces)));
  const RandomKey key{.seed = 0, .use = RandomUse::kSelection};
  for_each_random_word(key.stream(), 0, static_cast<std::int64_t>(places.size()),
                       [&](std::int64_t i, std::uint32_t word) {
                         places[static_cast<std::size_t>(i)] =
                             prunable <= kSampledPlaces ? i : bounded(word, prunable);
                       });
  return places;
}

}  // namespace

std::string mask_sample(const WeightMasks& masks) {
  const auto bits = masks.pack();
  const auto* byte = bits.const_data_ptr<std::uint8_t>();
  std::string digits;
  unsigned digit = 0;
  unsigned filled = 0;
  const auto write = [&] {
    digits += "0123456789abcdef"[digit];
    digit = filled = 0;
  };
  for (const auto place : sampled_places(masks.prunable())) {
    digit |= ((byte[place / 8] >> (place % 8)) & 1U) << filled;
    if (++filled == 4) write();
  }
  if (filled > 0) write();
  return digits;
}

}  // namespace pacbench::trainer
