#pragma once

#include <memory>

#include "trainer/methods/averager.h"
#include "trainer/methods/pruning_plan.h"

namespace pacbench::trainer {

/// What decides where a mask grows. Either way bucket.mean ends as a value for each entry, the
/// larger the better, which takes the place of the gradient in `regrown` (pruning/regrow.h).
enum class GrowBy {
  kGradients,  ///< the mean gradient, whole (RigL)
  kVotes,      ///< the share of the ranks that voted for the entry (FedDST)
};

/// An averager that gives way in the iterations after which masks change: what decides the growth
/// is exchanged then.
class RegrowRounds final : public Averager {
 public:
  RegrowRounds(const PruningPlan& plan, GrowBy grow_by, std::unique_ptr<Averager> inner)
      : plan_{plan}, grow_by_{grow_by}, inner_{std::move(inner)} {}

  Task<> settle(const Layout& layout, Group& group) override;
  std::vector<PlannedCollective> traffic(const BucketLayout& bucket,
                                         const Step& step) const override;
  Task<> average(Bucket& bucket, Group& group) override;
  Task<> finish_iteration(Group& group) override { return inner_->finish_iteration(group); }
  std::vector<PlannedCollective> finish_traffic() const override {
    return inner_->finish_traffic();
  }
  void visit_state(StateVisitor& visitor) override { inner_->visit_state(visitor); }

 private:
  Task<> average_votes(Bucket& bucket, Group& group) const;

  PruningPlan plan_;
  GrowBy grow_by_;
  std::unique_ptr<Averager> inner_;
};

}  // namespace pacbench::trainer
