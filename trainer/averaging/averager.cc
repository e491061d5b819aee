#include "trainer/averaging/averager.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <cmath>

namespace pacbench::trainer {

Task<> Averager::settle(const Layout&, Group&) { co_return; }

Task<> Averager::finish_iteration(Group&) { co_return; }

Task<> PlacedAverager::settle(const Layout&, Group& group) {
  rank_ = group.rank();
  ranks_ = group.size();
  co_return;
}

PlannedCollective dense_traffic(const BucketLayout& bucket) {
  return {CollectiveKind::kAllReduce, 4 * bucket.elements};
}

Task<> average_dense(Bucket& bucket, Group& group) {
  if (bucket.keeps_rest) {
    bucket.mean.copy_(bucket.own);
    bucket.own.zero_();
  }
  co_await group.all_reduce(bucket.mean);
  bucket.mean.div_(group.size());
}

void require_finite(const Bucket& bucket, const Group& group) {
  // Values are checked one by one only where their sum is not finite. Finite values seldom have
  // such a sum.
  if (std::isfinite(bucket.own.sum().item<float>())) return;
  for (std::size_t i = 0; i < bucket.layout.slices.size(); ++i) {
    const auto part = Bucket::part(bucket.own, bucket.layout.slices[i]);
    if (at::isfinite(part).all().item<bool>()) continue;
    refuse_not_finite(bucket, i, part.abs().max().item<double>(), group);
  }
}

void refuse_not_finite(const Bucket& bucket, std::size_t slice, double value, const Group& group) {
  throw Diverged{
      fmt::format("rank {}, bucket {}: the gradient of {} is not finite (largest magnitude {}), so "
                  "it cannot be encoded; training may have diverged: try a smaller learning rate",
                  group.rank(), bucket.layout.index, bucket.layout.slices.at(slice).name, value)};
}

}  // namespace pacbench::trainer
