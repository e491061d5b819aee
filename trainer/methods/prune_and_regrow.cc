// Prune and regrow: the mask of a pruned model moves while it trains, as in RigL (Evci, Gale,
// Menick, Castro and Elsen 2020, arXiv 1911.11134). Kept gradients travel compacted, as PacTrain's;
// every so often one iteration sends the whole gradient and makes no step: all ranks then drop the
// kept weights of least magnitude, and grow as many where that gradient is largest. The share that
// changes may fall along a cosine, as in FedDST (Bibikar et al. 2022, arXiv 2112.09824). Unlike
// RigL, which begins at random and sums these gradients on TPUs only, the first mask may be scored.
#include <algorithm>

#include "trainer/methods/compacted.h"
#include "trainer/methods/method_entries.h"
#include "trainer/methods/option_specs.h"

namespace pacbench::trainer {
namespace {

/// Whole gradients in the iterations after which masks change.
class WholeNowAndThen final : public Averager {
 public:
  WholeNowAndThen(const PruningPlan& plan, std::unique_ptr<Averager> inner)
      : plan_{plan}, inner_{std::move(inner)} {}

  Task<> settle(const Layout& layout, Group& group) override {
    return inner_->settle(layout, group);
  }
  std::vector<PlannedCollective> traffic(const BucketLayout& bucket,
                                         const Step& step) const override {
    if (plan_.regrows_after(step.number)) return {dense_traffic(bucket)};
    return inner_->traffic(bucket, step);
  }
  Task<> average(Bucket& bucket, Group& group) override {
    if (plan_.regrows_after(bucket.step.number)) return average_dense(bucket, group);
    return inner_->average(bucket, group);
  }
  Task<> finish_iteration(Group& group) override { return inner_->finish_iteration(group); }
  std::vector<PlannedCollective> finish_traffic() const override {
    return inner_->finish_traffic();
  }
  void visit_state(StateVisitor& visitor) override { inner_->visit_state(visitor); }

 private:
  PruningPlan plan_;
  std::unique_ptr<Averager> inner_;
};

class PruneAndRegrow final : public Method {
 public:
  using Method::Method;

  /// A step along a whole gradient would move pruned weights.
  Task<bool> optimizer_step(OptimizerView& view, Group&) override {
    co_return pruning()->regrows_after(view.step.number);
  }
};

std::unique_ptr<Method> make_prune_and_regrow(const Json& options, const RunFacts& run) {
  PruningPlan plan;
  plan.ratio = options.at("pruning_ratio");
  plan.score = options.at("score");
  plan.regrow_every = options.at("regrow_every");
  plan.regrow_share = options.at("regrow_share");
  plan.regrow_decays = options.at("decay") == "cosine";
  plan.regrow_until = static_cast<std::int64_t>(options.at("until").get<double>() *
                                                static_cast<double>(run.max_iterations));
  Compacted::Options compacted;
  compacted.mask_source = Compacted::MaskSource::kWeights;
  auto kept = std::make_unique<Compacted>(compacted, make_float_carrier(at::kFloat));
  return std::make_unique<PruneAndRegrow>(std::make_unique<WholeNowAndThen>(plan, std::move(kept)),
                                          plan);
}

}  // namespace

MethodEntryPoint prune_and_regrow_method() {
  MethodInfo info;
  info.name = "prune-and-regrow";
  info.summary = "as pactrain, with a mask that drops small weights and grows where gradients are";
  info.paper = "Evci et al. 2020, arXiv 1911.11134";
  info.family = "pruning";
  info.prunes = true;
  info.options = {
      option::pruned_share(),
      option::choice("score", {"magnitude", "random", "grasp"}, "what decides the first mask"),
      option::count("regrow_every", 25, "iterations from one change of the mask to the next"),
      option::number("regrow_share", 0.3, Range::ratio(),
                     "share of a layer's kept weights that changes, at first"),
      option::choice("decay", {"constant", "cosine"}, "of that share, over the run"),
      option::number("until", 0.75, Range::ratio(), "share of the run in which masks change"),
  };
  info.unbiased = true;
  info.collectives = {"all_reduce"};
  return {info, make_prune_and_regrow};
}

}  // namespace pacbench::trainer
