#pragma once

#include <optional>

#include "trainer/exchange/exchange_engine.h"
#include "trainer/pruning/weight_masks.h"
#include "trainer/rank/gradient_source.h"
#include "trainer/rank/replica.h"

namespace pacbench::trainer {

/// A rank's part in pruning as its method planned it: rank 0 scores, the others get its masks over
/// the links, and the method prepares for what is left. Without a plan there is one step that
/// prunes nothing, in which the method prepares as well.
class PruningStage {
 public:
  PruningStage(const WorkerSpec& spec, Replica& replica, ExchangeEngine& engine,
               const GradientSource& source);

  /// Whether a step comes between `iteration` and the next one.
  bool due(std::int64_t iteration) const {
    if (steps_done_ == 0) return true;
    return plan_ && steps_done_ < plan_->steps && iteration == steps_done_ * plan_->every;
  }

  /// Makes the next step. All ranks must call it: if the method has a pruning plan, rank 0
  /// broadcasts its masks. Throws what scoring and Method::settle throw.
  void step();

  /// Whether the plan lets masks change between `iteration` and the next one.
  bool regrows_after(std::int64_t iteration) const {
    return plan_ && plan_->regrows_after(iteration);
  }

  /// Changes the masks by the gradients that the parameters hold, which must be the same on all
  /// ranks, and calls settle(). All ranks must call it. There must be a plan.
  void regrow(std::int64_t iteration);

  /// Uses `masks` as the result of all steps at once, and calls settle(). The masks were chosen
  /// elsewhere by the same plan for the same model and seed.
  void take(const WeightMasks& masks);

  /// Visits the number of steps made and the masks, which are the same on all ranks.
  void visit_state(StateVisitor& visitor);

  /// Lets the method prepare for the present masks. step(), regrow() and take() call it; the caller
  /// does after visit_state() has restored masks. All ranks must call it, because some methods wait
  /// for other ranks in it.
  void settle();

  /// Throws std::runtime_error when a pruned weight is not zero. Checks nothing without masks, nor
  /// where the plan lets pruned weights move (not PruningPlan::stays_pruned).
  void check(std::int64_t iteration) const;

  const std::optional<PruningPlan>& plan() const { return plan_; }

  /// Empty without a plan, and before the first step.
  const WeightMasks& masks() const { return masks_; }

  /// Whether gradients of pruned weights count as zero.
  bool masks_gradients() const { return !masks_.empty() && plan_->stays_pruned; }

 private:
  void choose_and_share_masks();

  WorkerSpec spec_;
  Replica& replica_;
  ExchangeEngine& engine_;
  const GradientSource& source_;
  std::optional<PruningPlan> plan_;
  WeightMasks masks_;
  std::int64_t steps_done_ = 0;
};

}  // namespace pacbench::trainer
