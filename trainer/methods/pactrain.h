#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "trainer/methods/bucket_mask.h"
#include "trainer/methods/carrier.h"
#include "trainer/methods/mask_tracker.h"
#include "trainer/methods/method.h"
#include "trainer/methods/residuals.h"

namespace pacbench::trainer {

/// PacTrain (arXiv 2505.18563): the model is pruned, gradients are kept as sparse as its weights,
/// so that all workers hold the same mask; what the mask keeps is compacted into a short dense
/// vector that an ordinary all-reduce carries, optionally as few levels. Without pruning and masks
/// TernGrad is what remains. What the paper leaves open, and what is done here, stands in
/// docs/METHODS.md.
class PacTrain final : public Method {
 public:
  enum class MaskSource {
    kWeights,  ///< the masks that pruning made: known from the start
    kTracker,  ///< the paper's: found out from gradients
  };

  struct Options {
    std::optional<PruningPlan> pruning;
    MaskSource mask_source = MaskSource::kTracker;
    std::int64_t stable_after = 3;   ///< of the tracker
    std::int64_t check_every = 100;  ///< compacted exchanges of a bucket between proofs that all
                                     ///< ranks hold the same mask; the first one has one
    bool error_feedback = false;
  };

  PacTrain(Options options, std::unique_ptr<Carrier> carrier);

  std::optional<PruningPlan> pruning() const override { return options_.pruning; }
  Task<> layout_settled(const Layout& layout, Group& group) override;
  std::vector<PlannedCollective> expected_traffic(const BucketLayout& bucket) const override;
  std::vector<PlannedCollective> expected_iteration_traffic(const Layout& layout) const override;
  Task<> exchange(Bucket& bucket, Group& group) override;
  Task<> iteration_finished(Group& group) override;
  void visit_state(StateVisitor& visitor) override;
  std::optional<double> residual_norm() const override;

 private:
  struct BucketState {
    const BucketLayout* layout = nullptr;
    bool masked = false;                 ///< gradients of pruned weights count as zero
    BucketMask possible;                 ///< what a gradient can have: unpruned ones, or all
    std::optional<MaskTracker> tracker;  ///< absent when the mask comes from the weights
    std::optional<BucketMask> mask;      ///< what is compacted; absent while it is not settled
    at::Tensor held;                     ///< outside the mask, to be added in the next iteration
    std::int64_t exchanges = 0;          ///< with this mask
  };

  BucketState state_with_masks_of(const BucketLayout& bucket, c10::Device device) const;
  bool check_is_due(const BucketState& state) const;
  Task<> exchange_dense(Bucket& bucket, BucketState& state, Group& group);
  Task<> exchange_compacted(Bucket& bucket, BucketState& state, Group& group);
  Task<> require_same_mask(const BucketState& state, Group& group);

  Options options_;
  std::unique_ptr<Carrier> carrier_;
  std::map<int, BucketState> states_;
  Residuals residuals_;
};

}  // namespace pacbench::trainer
