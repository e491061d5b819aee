// EF21 (Richtárik, Sokolov and Fatkhullin 2021, arXiv 2106.05203, algorithm 2) with top-k. Each
// rank keeps an estimate of its own gradient, and all keep the mean of these estimates. The
// compressed difference between a gradient and its estimate travels. The mean estimate takes the
// place of the mean gradient. Estimates begin at zero, where the paper may begin with the first
// gradients as they are.
#include <ATen/Functions.h>

#include "trainer/averaging/bucket_state.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/sparse_entries.h"
#include "trainer/kernels/largest.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class Ef21 final : public Averager {
 public:
  explicit Ef21(const Json& options) : ratio_{options.at("ratio")} {}

  Task<> settle(const Layout& layout, Group& group) override {
    own_.settle(layout, group.device());
    mean_.settle(layout, group.device());
    co_return;
  }

  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    return {entries_of(bucket).traffic()};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto& own = own_.of(bucket.layout);
    const auto& mean = mean_.of(bucket.layout);
    const auto difference = bucket.own - own;
    const auto places = largest(difference, kept_of(ratio_, difference.numel()));
    own.index_add_(0, places, difference.index_select(0, places));
    const auto entries = entries_of(bucket.layout);
    co_await entries.average(difference, places, false, bucket.mean, group);
    bucket.mean.copy_(mean.add_(bucket.mean));
  }

  void visit_state(StateVisitor& visitor) override {
    own_.visit(visitor);
    mean_.visit(visitor);
  }

 private:
  SparseEntries entries_of(const BucketLayout& bucket) const {
    return {bucket.elements, kept_of(ratio_, bucket.elements)};
  }

  double ratio_;
  BucketState own_{"own_estimate"};
  BucketState mean_{"mean_estimate"};  ///< of all ranks' own estimates
};

}  // namespace

MethodDefinition ef21_method() {
  auto info = described(
      "ef21", "error feedback", "Richtárik, Sokolov and Fatkhullin 2021, arXiv 2106.05203",
      "top-k of the difference to each worker's estimate of its own gradient, by all-gather");
  info.options = {option::kept_share()};
  info.error_feedback = true;
  info.state_floats = 1;
  info.collectives = {"all_gather"};
  return averaging<Ef21>(info);
}

}  // namespace pacbench::trainer
