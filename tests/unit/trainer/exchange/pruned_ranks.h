#pragma once

#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer::test {

inline constexpr int kRanks = 4;

inline Choice pactrain(Json options = Json::object()) {
  if (!options.contains("stable_after")) options["stable_after"] = 2;
  return with_preset("pactrain", "paper", options);
}

/// Two parameters of 32 elements, every second element of which is pruned, and a parameter without
/// a mask.
inline Layout pruned_layout() {
  auto layout = layout_of({{32, 6}, {32}});
  const auto mask = at::arange(32).remainder(2).eq(0);
  layout[0].slices[0].mask = mask;
  layout[1].slices[0].mask = mask;
  return layout;
}

inline ThreadRanks ranks_of(const Choice& method) {
  return ranks_of(method, kRanks, pruned_layout());
}

inline bool stable(ThreadRanks& ranks, std::size_t bucket) {
  return ranks.engine(0).trace().at(bucket).notes.value("stable", false);
}

/// Gradients without zeros, so that the agreed mask is the weights' mask from the start.
inline Gradients full_gradients(std::int64_t seed) {
  auto gradients = integer_gradients(pruned_layout(), kRanks, 50, seed);
  for (auto& rank : gradients) {
    for (auto& bucket : rank) bucket.add_(bucket.eq(0));
  }
  return gradients;
}

inline at::Tensor masked_mean(const Gradients& gradients, std::size_t bucket) {
  const auto layout = pruned_layout();
  auto mean = dense_mean(gradients, bucket);
  for (const auto& slice : layout[bucket].slices) {
    if (slice.mask.defined()) Bucket::part(mean, slice).mul_(slice.mask);
  }
  return mean;
}

}  // namespace pacbench::trainer::test
