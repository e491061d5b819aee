#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "trainer/averaging/bucket_mask.h"
#include "trainer/averaging/carrier.h"
#include "trainer/averaging/mask_tracker.h"

namespace pacbench::trainer {

/// Sends only the elements that a mask keeps, as a short dense vector, by any carrier. All ranks
/// have the same mask. This is the core of PacTrain (arXiv 2505.18563, section III). A bucket
/// travels whole while its mask is not known. With a mask that a tracker found, a rank holds back
/// values outside the mask until the bucket's next exchange, and asks for a new mask by a flag.
class Compacted final : public Averager {
 public:
  enum class MaskSource {
    kWeights,  ///< the masks that pruning made: known from the start
    kTracker,  ///< the paper's: found out from gradients
  };

  struct Options {
    bool zero_pruned = true;  ///< gradients of pruned weights are set to zero
    MaskSource mask_source = MaskSource::kTracker;
    std::int64_t stable_after = 3;  ///< MaskTracker's `stable_after`
    /// Ranks compare their masks at a bucket's first exchange with a mask, then again after every
    /// so many exchanges.
    std::int64_t check_every = 100;
  };

  Compacted(const Options& options, std::unique_ptr<Carrier> carrier)
      : options_{options}, carrier_{std::move(carrier)} {}

  Task<> settle(const Layout& layout, Group& group) override;
  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override;
  Task<> average(Bucket& bucket, Group& group) override;
  Task<> finish_iteration(Group& group) override { return carrier_->finish_iteration(group); }
  std::vector<PlannedCollective> finish_traffic() const override {
    return carrier_->finish_traffic();
  }
  /// A tracker has to see gradients before it has a mask.
  Recording recording() const override {
    const auto first = options_.mask_source == MaskSource::kTracker ? options_.stable_after : 0;
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
