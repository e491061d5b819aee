#pragma once

#include <memory>

#include "trainer/averaging/averager_around.h"
#include "trainer/averaging/pruning_plan.h"

namespace pacbench::trainer {

/// The values that decide where a mask grows. Either way bucket.mean ends as a value for each
/// entry, which `regrown` (pruning/regrow.h) uses as the gradient: a mask grows where its magnitude
/// is largest.
enum class GrowBy {
  kGradients,  ///< the mean gradient of all entries (RigL)
  kVotes,      ///< the share of the ranks that voted for the entry (FedDST)
};

/// An averager around another one. In iterations after which masks change, it exchanges what
/// decides where they grow. In all others the inner averager exchanges gradients.
class RegrowRounds final : public AveragerAround {
 public:
  RegrowRounds(const PruningPlan& plan, GrowBy grow_by, std::unique_ptr<Averager> inner)
      : AveragerAround{std::move(inner)}, plan_{plan}, grow_by_{grow_by} {}

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket,
                                         const Step& step) const override;
  Task<> average(Bucket& bucket, Group& group) override;

 private:
  Task<> average_votes(Bucket& bucket, Group& group) const;

  PruningPlan plan_;
  GrowBy grow_by_;
};

}  // namespace pacbench::trainer
