// Random-K (Stich, Cordonnier and Jaggi 2018, arXiv 1809.07599): k entries of each bucket, chosen
// at random and the same on all ranks, so that an all-reduce sums them and no index travels. Scaled
// by n / k the mean is unbiased; with error feedback nothing is scaled, and entries that were not
// chosen stay in the residual.
#include <ATen/Functions.h>

#include "trainer/averaging/option_specs.h"
#include "trainer/encoding/random_draws.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class RandomK final : public Averager {
 public:
  explicit RandomK(const Json& options) : ratio_{options.at("ratio")} {}

  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    return {{CollectiveKind::kAllReduce, 4 * kept_of(ratio_, bucket.elements)}};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    require_finite(bucket, group);
    const auto kept = kept_of(ratio_, bucket.layout.elements);
    const auto places =
        random_positions(bucket.shared_random(), kept, bucket.layout.elements, group.device());
    const auto values = bucket.own.index_select(0, places);
    if (bucket.keeps_rest) bucket.own.index_fill_(0, places, 0);

    co_await group.all_reduce(values);

    const auto chance = static_cast<double>(kept) / static_cast<double>(bucket.layout.elements);
    values.div_(bucket.keeps_rest ? group.size() : group.size() * chance);
    bucket.mean.zero_().index_copy_(0, places, values);
  }

 private:
  double ratio_;
};

}  // namespace

MethodDefinition random_k_method() {
  auto info =
      described("random-k", "sparsification", "Stich, Cordonnier and Jaggi 2018, arXiv 1809.07599",
                "k random entries of each bucket, the same on all ranks, by all-reduce");
  info.options = {option::kept_share(), option::error_feedback(false)};
  info.unbiased = true;
  info.collectives = {"all_reduce"};
  return averaging<RandomK>(info);
}

}  // namespace pacbench::trainer
