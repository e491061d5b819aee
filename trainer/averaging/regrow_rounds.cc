#include "trainer/averaging/regrow_rounds.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "trainer/kernels/largest.h"
#include "trainer/kernels/signs.h"

namespace pacbench::trainer {
namespace {

/// A rank's votes, float[elements]: 1 at the pruned entries whose gradients are largest on this
/// rank, as many in each layer as will grow there, and -1 elsewhere.
at::Tensor votes_of(const Bucket& bucket, double share) {
  auto votes = at::full_like(bucket.own, -1);
  for (const auto& slice : bucket.layout.slices) {
    if (!slice.mask.defined()) continue;
    const auto kept = slice.mask.to(bucket.own.device());
    const auto pruned = kept.logical_not().nonzero().flatten();
    const auto gradients = Bucket::part(bucket.own, slice).index_select(0, pruned);
    const auto count =
        std::min(regrown_count(share, slice.elements - pruned.numel()), pruned.numel());
    const auto chosen = pruned.index_select(0, largest(gradients, count));
    Bucket::part(votes, slice).index_fill_(0, chosen, 1);
  }
  return votes;
}

}  // namespace

std::vector<PlannedCollective> RegrowRounds::traffic(const BucketLayout& bucket,
                                                     const Step& step) const {
  if (!plan_.regrows_after(step.number)) return inner_->traffic(bucket, step);
  if (grow_by_ == GrowBy::kGradients) return {dense_traffic(bucket)};
  return {{CollectiveKind::kAllGather, sign_bytes(bucket.elements)}};
}

Task<> RegrowRounds::average(Bucket& bucket, Group& group) {
  if (!plan_.regrows_after(bucket.step.number)) return inner_->average(bucket, group);
  if (grow_by_ == GrowBy::kGradients) return average_dense(bucket, group);
  return average_votes(bucket, group);
}

Task<> RegrowRounds::average_votes(Bucket& bucket, Group& group) const {
  require_finite(bucket, group);
  const auto own = pack_signs(votes_of(bucket, plan_.regrown_share_after(bucket.step.number)));
  const auto all = co_await group.all_gather(own);
  auto sum = at::full_like(bucket.own, group.size());
  for (int rank = 0; rank < group.size(); ++rank) {
    add_signs(all, 8 * sign_bytes(bucket.layout.elements) * rank, 1, sum);
  }
  bucket.mean.copy_(sum.div_(2 * group.size()));
}

}  // namespace pacbench::trainer
