#include "trainer/pruning/weight_masks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <stdexcept>

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

WeightMasks::WeightMasks(const std::vector<Parameter>& parameters) {
  for (const auto& parameter : parameters) {
    masks_.push_back(parameter.prunable ? at::ones(parameter.tensor.sizes(), at::kBool)
                                        : at::Tensor{});
  }
}

void WeightMasks::set_mask(std::size_t parameter, const at::Tensor& mask) {
  auto& current = masks_.at(parameter);
  if (!current.defined() || current.sizes() != mask.sizes() || mask.scalar_type() != at::kBool) {
    throw std::logic_error{fmt::format("parameter {} takes no such mask (shape [{}])", parameter,
                                       fmt::join(mask.sizes(), ", "))};
  }
  current = mask.cpu().contiguous();
}

at::Tensor WeightMasks::pack() const {
  auto bits = at::zeros({(prunable() + 7) / 8}, at::kByte);
  auto* bytes = bits.data_ptr<std::uint8_t>();
  std::int64_t position = 0;
  for (const auto& mask : masks_) {
    if (!mask.defined()) continue;
    const auto* kept = mask.const_data_ptr<bool>();
    for (std::int64_t i = 0; i < mask.numel(); ++i, ++position) {
      const unsigned bit = kept[i] ? 1U << (position % 8) : 0U;
      bytes[position / 8] = static_cast<std::uint8_t>(bytes[position / 8] | bit);
    }
  }
  return bits;
}

void WeightMasks::unpack(const at::Tensor& bits) {
  const auto expected = (prunable() + 7) / 8;
  if (bits.scalar_type() != at::kByte || bits.numel() != expected) {
    throw std::invalid_argument{fmt::format(
        "packed masks: found {} elements of {}, expected {} bytes: do all ranks train the same "
        "model?",
        bits.numel(), c10::toString(bits.scalar_type()), expected)};
  }
  const auto source = bits.cpu().contiguous();
  const auto* bytes = source.const_data_ptr<std::uint8_t>();
  std::int64_t position = 0;
  for (auto& mask : masks_) {
    if (!mask.defined()) continue;
    auto* kept = mask.data_ptr<bool>();
    for (std::int64_t i = 0; i < mask.numel(); ++i, ++position) {
      kept[i] = ((bytes[position / 8] >> (position % 8)) & 1) != 0;
    }
  }
}

void WeightMasks::apply(WeightOptimizer& optimizer) const {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < masks_.size(); ++i) {
    if (!masks_[i].defined()) continue;
    const auto& weights = optimizer.parameters().at(i);
    // A product with the mask would turn infinite values into NaN and leave negative zeros.
    weights.masked_fill_(masks_[i].to(weights.device()).logical_not(), 0);
    optimizer.forget_pruned(i, masks_[i]);
  }
}

std::int64_t WeightMasks::prunable() const {
  std::int64_t count = 0;
  for (const auto& mask : masks_) count += mask.defined() ? mask.numel() : 0;
  return count;
}

std::int64_t WeightMasks::kept() const {
  std::int64_t count = 0;
  for (const auto& mask : masks_) count += mask.defined() ? mask.sum().item<std::int64_t>() : 0;
  return count;
}

double WeightMasks::kept_fraction() const {
  const auto all = prunable();
  return all == 0 ? 1.0 : static_cast<double>(kept()) / static_cast<double>(all);
}

std::optional<std::string> WeightMasks::first_violation(
    const std::vector<Parameter>& parameters) const {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < masks_.size(); ++i) {
    if (!masks_[i].defined()) continue;
    const auto& weights = parameters.at(i).tensor;
    const auto pruned = masks_[i].to(weights.device()).logical_not();
    if (weights.ne(0).logical_and_(pruned).any().item<bool>()) return parameters[i].name;
  }
  return std::nullopt;
}

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
