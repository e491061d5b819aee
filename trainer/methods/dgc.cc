// Deep gradient compression (Lin, Han, Mao, Wang and Dally 2018, arXiv 1712.01887): top-k of
// accumulated gradients. Momentum is applied before the choice, so that entries that wait
// accumulate it too (momentum correction). The momentum of sent entries is set to zero (factor
// masking). Each rank may clip its gradients to its share of the norm. The share of entries that is
// sent falls in five stages. Momentum is the method's own: the trainer's optimiser has none. The
// authors' code estimates the threshold from a sample, and sends vectors whole. Here the k largest
// are exact, and are taken from the bucket as a whole.
#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "trainer/averaging/bucket_state.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/sparse_entries.h"
#include "trainer/kernels/largest.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class DeepGradientCompression final : public Averager {
 public:
  DeepGradientCompression(const Json& options, const RunFacts& run)
      : ratio_{options.at("ratio")},
        warm_up_iterations_{options.at("warm_up_iterations")},
        clip_norm_{options.at("clip_norm")},
        momentum_{run.optimizer.momentum} {}

  Task<> settle(const Layout& layout, Group& group) override {
    velocity_.settle(layout, group.device());
    gathered_.settle(layout, group.device());
    co_return;
  }

  PlannedCalls traffic(const BucketLayout& bucket, const Step& step) const override {
    return {entries_of(bucket, step).traffic()};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto& velocity = velocity_.of(bucket.layout);
    const auto& gathered = gathered_.of(bucket.layout);
    if (clip_norm_ > 0) clip(bucket, group.size());
    velocity.mul_(momentum_).add_(bucket.own);
    gathered.add_(velocity);
    const auto places = largest(gathered, kept_of(ratio_of(bucket.step), gathered.numel()));
    velocity.index_fill_(0, places, 0);
    const auto entries = entries_of(bucket.layout, bucket.step);
    co_await entries.average(gathered, places, true, bucket.mean, group);
  }

  Recording recording() const override { return {.iterations_to_settle = warm_up_iterations_}; }

  void visit_state(StateVisitor& visitor) override {
    velocity_.visit(visitor);
    gathered_.visit(visitor);
  }

  std::optional<double> residual_norm() const override { return gathered_.norm(); }

 private:
  /// The share falls in five stages, as in the paper (25, 6.3, 1.6, 0.4, 0.1 %), to any final
  /// ratio.
  double ratio_of(const Step& step) const {
    if (step.number > warm_up_iterations_) return ratio_;
    const auto stage = 5 * (step.number - 1) / warm_up_iterations_ + 1;
    return std::pow(ratio_, static_cast<double>(stage) / 5);
  }

  SparseEntries entries_of(const BucketLayout& bucket, const Step& step) const {
    return {bucket.elements, kept_of(ratio_of(step), bucket.elements)};
  }

  /// Clips each layer's gradient to clip_norm / sqrt(ranks), so that the sum over all ranks has a
  /// norm of about clip_norm.
  void clip(const Bucket& bucket, int ranks) const {
    const double most = clip_norm_ / std::sqrt(ranks);
    for (const auto& slice : bucket.layout.slices) {
      const auto part = Bucket::part(bucket.own, slice);
      const auto norm = part.norm().item<double>();
      if (norm > most) part.mul_(most / norm);
    }
  }

  double ratio_;
  std::int64_t warm_up_iterations_;
  double clip_norm_;
  double momentum_;
  BucketState velocity_{"velocity"};  ///< u of the paper
  BucketState gathered_{"gathered"};  ///< v of the paper
};

}  // namespace

MethodDefinition dgc_method() {
  auto info = described("dgc", "sparsification", "Lin et al. 2018, arXiv 1712.01887",
                        "top-k of gradients that accumulate with momentum, by all-gather");
  info.state_floats = 1;
  info.options = {option::kept_share(0.001),
                  option::whole("warm_up_iterations", 20,
                                "iterations in which the share falls to `ratio`, in five stages"),
                  option::number("clip_norm", 0, Range::at_least(0),
                                 "a layer's gradient is clipped to this norm divided by the square "
                                 "root of the number of workers; 0: no clipping")};
  info.error_feedback = true;
  info.collectives = {"all_gather"};
  return averaging_momentum<DeepGradientCompression>(info);
}

}  // namespace pacbench::trainer
