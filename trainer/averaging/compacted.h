#pragma once

#include <ATen/Functions.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainer/averaging/bucket_mask.h"
#include "trainer/averaging/carrier.h"

namespace pacbench::trainer {

/// Tracks which elements of a bucket's gradient can be non-zero, and when this mask is stable: the
/// Mask Tracker of PacTrain (arXiv 2505.18563, section III).
///
/// A single iteration's zeros differ between workers and by chance (a dead unit, a pixel that no
/// image of the batch uses). Ranks that decided from their own zeros would exchange different
/// sizes. So each worker proposes the union of all non-zeros that it knows of, and an OR over the
/// workers joins the proposals. Every rank keeps the joined mask, so all take the same decision.
/// The bucket is stable once `stable_after` agreed masks in a row were the same.
class MaskTracker {
 public:
  /// Tracks a bucket whose mask takes int64[words] (BucketMask::words) on `device`.
  MaskTracker(std::int64_t words, std::int64_t stable_after, c10::Device device = c10::kCPU)
      : needed_{stable_after},
        words_{at::zeros({words}, at::TensorOptions{device}.dtype(at::kLong))} {}

  bool stable() const { return unchanged_ >= needed_; }
  /// How many agreed masks in a row were the same.
  std::int64_t unchanged() const { return unchanged_; }

  /// Joins `nonzeros`, int64[words], with the mask that the ranks agreed on last. Returns the bits
  /// of the joined mask as uint8[8 · words], for an OR over all ranks.
  at::Tensor propose(const at::Tensor& nonzeros) const {
    return nonzeros.bitwise_or(words_).view(at::kByte);
  }

  /// Takes the OR of all ranks' proposals.
  void agree(const at::Tensor& joined) {
    const auto words = joined.view(at::kLong);
    unchanged_ = at::equal(words, words_) ? unchanged_ + 1 : 1;
    words_ = words;
  }

  /// The mask agreed on last: int64[words].
  const at::Tensor& words() const { return words_; }

  /// Must be called when some rank had a non-zero outside the mask. The next iteration is then
  /// dense and agrees on a new mask. That mask is stable at once, since any element that is still
  /// missing will be flagged as well.
  void reopen() {
    unchanged_ = 0;
    needed_ = 1;
  }

  void visit_state(const std::string& prefix, StateVisitor& visitor) {
    visitor.tensor(prefix + "mask", words_);
    visitor.number(prefix + "unchanged", unchanged_);
    visitor.number(prefix + "needed", needed_);
  }

 private:
  std::int64_t needed_;
  std::int64_t unchanged_ = 0;
  at::Tensor words_;
};

/// Sends only the elements that a mask keeps, as a short dense vector, by any carrier. All ranks
/// have the same mask. This is the core of PacTrain (arXiv 2505.18563, section III). A bucket
/// travels whole while its mask is not known. With a mask that a tracker found, a rank holds back
/// values outside the mask until the bucket's next exchange, and asks for a new mask by a flag.
class Compacted final : public Averager {
 public:
  struct Options {
    bool zero_pruned = true;  ///< gradients of pruned weights are set to zero
    /// Masks are found out from gradients, as in the paper; false: they are those that pruning
    /// made, known from the start.
    bool tracks_masks = true;
    std::int64_t stable_after = 3;  ///< MaskTracker's `stable_after`
    /// Ranks compare their masks at a bucket's first exchange with a mask, then again after every
    /// so many exchanges.
    std::int64_t check_every = 100;
  };

  Compacted(const Options& options, std::unique_ptr<Carrier> carrier)
      : options_{options}, carrier_{std::move(carrier)} {}

  Task<> settle(const Layout& layout, Group& group) override;
  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override;
  Task<> average(Bucket& bucket, Group& group) override;
  Task<> finish_iteration(Group& group) override { return carrier_->finish_iteration(group); }
  PlannedCalls finish_traffic() const override { return carrier_->finish_traffic(); }
  /// A tracker has to see gradients before it has a mask.
  Recording recording() const override {
    const auto first = options_.tracks_masks ? options_.stable_after : 0;
    return {.iterations_to_settle = first, .iterations_to_decide = first};
  }
  void visit_state(StateVisitor& visitor) override;

 private:
  struct BucketState {
    const BucketLayout* layout = nullptr;
    bool masked = false;                 ///< gradients of pruned weights are set to zero
    BucketMask possible;                 ///< elements that may be non-zero: unpruned ones, or all
    std::optional<MaskTracker> tracker;  ///< absent when the mask comes from the weights
    std::optional<BucketMask> mask;      ///< which elements are sent; absent while it is not stable
    at::Tensor held;                     ///< values outside the mask, for the next iteration
    std::int64_t exchanges = 0;          ///< with this mask
  };

  BucketState state_with_masks_of(const BucketLayout& bucket, c10::Device device) const;
  bool check_is_due(const BucketState& state) const;
  Task<> average_whole(Bucket& bucket, BucketState& state, Group& group);
  Task<> average_compacted(Bucket& bucket, BucketState& state, Group& group);
  Task<> require_same_mask(const BucketState& state, Group& group);

  Options options_;
  std::unique_ptr<Carrier> carrier_;
  std::map<int, BucketState> states_;
};

}  // namespace pacbench::trainer
