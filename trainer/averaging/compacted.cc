#include "trainer/averaging/compacted.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace pacbench::trainer {
namespace {

std::int64_t hash_of(const BucketMask& mask) {
  const auto words = mask.words().cpu();
  const std::string_view bytes{static_cast<const char*>(words.const_data_ptr()), words.nbytes()};
  return static_cast<std::int64_t>(std::hash<std::string_view>{}(bytes));
}

}  // namespace

Task<> Compacted::settle(const Layout& layout, Group& group) {
  for (const auto& bucket : layout) {
    auto& state = states_[bucket.index];
    // The new state keeps the values that a rank holds back, since they must be delivered.
    const auto held = state.held;
    state = state_with_masks_of(bucket, group.device());
    state.held = held;
  }
  return carrier_->settle(layout, group);
}

Compacted::BucketState Compacted::state_with_masks_of(const BucketLayout& bucket,
                                                      c10::Device device) const {
  BucketState state;
  state.layout = &bucket;
  state.masked =
      options_.zero_pruned && std::any_of(bucket.slices.begin(), bucket.slices.end(),
                                          [](const auto& slice) { return slice.mask.defined(); });
  state.possible = state.masked ? BucketMask::of_weights(bucket, device)
                                : BucketMask::everything(bucket, device);
  if (options_.tracks_masks) {
    state.tracker.emplace(BucketMask::word_count(bucket), options_.stable_after, device);
  } else {
    state.mask = state.possible;
  }
  return state;
}

bool Compacted::check_is_due(const BucketState& state) const {
  const bool may_differ = state.masked || state.tracker;
  return may_differ && state.exchanges % options_.check_every == 0;
}

PlannedCalls Compacted::traffic(const BucketLayout& bucket, const Step&) const {
  const auto& state = states_.at(bucket.index);
  const auto reduce = CollectiveKind::kAllReduce;
  if (!state.mask) {
    return {{reduce, 8 * BucketMask::word_count(bucket)}, dense_traffic(bucket)};
  }
  PlannedCalls calls;
  if (check_is_due(state)) calls.push_back({reduce, 16});
  const auto sums = carrier_->traffic_of(*state.mask, state.tracker ? Flag::kDown : Flag::kNone);
  calls.insert(calls.end(), sums.begin(), sums.end());
  return calls;
}

Task<> Compacted::average(Bucket& bucket, Group& group) {
  auto& state = states_.at(bucket.layout.index);
  if (state.held.defined()) bucket.own.add_(std::exchange(state.held, at::Tensor{}));
  if (state.masked) state.possible.zero_outside(bucket.own);
  group.notes()["stable"] = state.mask.has_value();
  if (state.mask) {
    co_await average_compacted(bucket, state, group);
  } else {
    co_await average_whole(bucket, state, group);
  }
}

/// Averages a bucket whose mask is not stable yet: the ranks join the non-zeros that they have
/// seen, and the values travel whole.
Task<> Compacted::average_whole(Bucket& bucket, BucketState& state, Group& group) {
  const auto nonzeros = BucketMask::of_nonzeros(bucket.layout, bucket.own);
  const auto proposal = state.tracker->propose(nonzeros.words());
  const auto joined = co_await group.all_reduce(proposal, Reduction::kBitOr);
  state.tracker->agree(joined);
  group.notes()["unchanged"] = state.tracker->unchanged();
  if (state.tracker->stable()) {
    state.mask = BucketMask::of_words(bucket.layout, state.tracker->words(), state.possible);
    state.exchanges = 0;
  }
  co_await average_dense(bucket, group);
}

Task<> Compacted::average_compacted(Bucket& bucket, BucketState& state, Group& group) {
  const auto& mask = *state.mask;
  group.notes()["kept"] = mask.kept();
  if (check_is_due(state)) co_await require_same_mask(state, group);
  ++state.exchanges;
  auto flag = Flag::kNone;
  if (state.tracker) {
    flag = mask.any_outside(bucket.own) ? Flag::kUp : Flag::kDown;
    if (flag == Flag::kUp) {
      state.held = bucket.own.clone();
      mask.zero_outside(bucket.own);
      state.held.sub_(bucket.own);
    }
  }
  const bool flagged = co_await carrier_->average_kept(bucket, mask, flag, group);
  if (!flagged) co_return;
  group.notes()["flagged"] = true;
  state.tracker->reopen();
  state.mask.reset();
}

/// Throws where the ranks' masks differ. All hashes are equal exactly if the largest complement of
/// a hash is the complement of the largest hash.
Task<> Compacted::require_same_mask(const BucketState& state, Group& group) {
  const auto own = hash_of(*state.mask);
  const auto extremes = at::empty({2}, at::kLong);
  auto* extreme = extremes.data_ptr<std::int64_t>();
  extreme[0] = own;
  extreme[1] = ~own;
  co_await group.all_reduce(extremes, Reduction::kMax);
  if (extreme[0] == ~extreme[1]) co_return;
  const auto own_hash = at::full({1}, own, at::kLong);
  const auto hashes = co_await group.all_gather(own_hash);
  int other = 1;
  while (hashes[other].item<std::int64_t>() == hashes[0].item<std::int64_t>()) ++other;
  throw std::runtime_error{fmt::format(
      "bucket {}: the masks of rank 0 and rank {} differ, so an all-reduce would add gradients of "
      "different elements; rank {} keeps {} of {} elements",
      state.layout->index, other, group.rank(), state.mask->kept(), state.layout->elements)};
}

void Compacted::visit_state(StateVisitor& visitor) {
  for (auto& [index, state] : states_) {
    const auto prefix = fmt::format("bucket{}/", index);
    visitor.tensor(prefix + "held", state.held);
    visitor.number(prefix + "exchanges", state.exchanges);
    if (!state.tracker) continue;
    state.tracker->visit_state(prefix, visitor);
    state.mask.reset();
    if (state.tracker->stable()) {
      state.mask = BucketMask::of_words(*state.layout, state.tracker->words(), state.possible);
    }
  }
  carrier_->visit_state(visitor);
}

}  // namespace pacbench::trainer
