#include "trainer/pruning/regrow.h"

#include <torch/torch.h>

#include <limits>

#include "trainer/averaging/pruning_plan.h"

namespace pacbench::trainer {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

/// `mask`, bool[n], with `count` more places set: those of largest value where it is not set yet.
at::Tensor with_largest(const at::Tensor& mask, const at::Tensor& values, std::int64_t count) {
  const auto order = values.masked_fill(mask, kNever).argsort(/*stable=*/true, 0, true);
  return mask.index_fill(0, order.narrow(0, 0, count), true);
}

}  // namespace

WeightMasks regrown(const WeightMasks& masks, const std::vector<Parameter>& parameters,
                    double share) {
  const torch::NoGradGuard no_grad;
  auto changed = masks;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!masks.mask(i).defined()) continue;
    const auto& weights = parameters[i].tensor;
    const auto kept = masks.mask(i).flatten();
    const auto count = regrown_count(share, kept.sum().item<std::int64_t>());
    const auto magnitudes = weights.detach().abs().flatten().cpu();
    const auto stays = with_largest(kept.logical_not(), -magnitudes, count).logical_not_();
    const auto grown = with_largest(stays, weights.grad().abs().flatten().cpu(), count);
    changed.set_mask(i, grown.view_as(masks.mask(i)));
  }
  return changed;
}

}  // namespace pacbench::trainer
