#include "trainer/data/epoch_order.h"

#include <numeric>
#include <utility>

#include "trainer/kernels/philox.h"

namespace pacbench::trainer {

std::vector<std::int64_t> epoch_permutation(std::int64_t seed, std::int64_t epoch,
                                            std::int64_t samples) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), 0);
  const RandomKey key{.seed = seed, .use = RandomUse::kDataOrder, .iteration = epoch};
  for_each_random_word(key.stream(), 0, samples - 1, [&](std::int64_t i, std::uint32_t word) {
    const auto other = i + bounded(word, samples - i);
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(other)]);
  });
  return order;
}

EpochOrder::Permutation EpochOrder::of(std::int64_t seed, std::int64_t epoch) {
  const std::scoped_lock lock{mutex_};
  for (const auto& kept : kept_) {
    if (kept.permutation && kept.seed == seed && kept.epoch == epoch) return kept.permutation;
  }
  auto& oldest = kept_[epoch % 2];
  oldest = {
      seed, epoch,
      std::make_shared<const std::vector<std::int64_t>>(epoch_permutation(seed, epoch, samples_))};
  return oldest.permutation;
}

}  // namespace pacbench::trainer
