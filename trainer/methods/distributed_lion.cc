// Distributed Lion (Liu et al. 2024, arXiv 2404.00438): each worker computes Lion's step with its
// own momentum, a sign for each entry. All workers apply the sign that most have (`majority`;
// chance decides a tie, where the authors' code takes the negative sign), or the mean of the signs
// (`average`).
#include "trainer/averaging/bucket_state.h"
#include "trainer/averaging/by_shares.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class DistributedLion final : public Averager {
 public:
  explicit DistributedLion(const Json& options)
      : majority_{options.at("vote") == "majority"},
        beta1_{options.at("beta1")},
        beta2_{options.at("beta2")} {}

  Task<> settle(const Layout& layout, Group& group) override {
    momentum_.settle(layout, group.device());
    std::unique_ptr<ShareCode> code = std::make_unique<Votes>();
    if (!majority_) code = std::make_unique<CountedVotes>(group.size());
    votes_ = std::make_unique<ByShares>(std::move(code));
    return votes_->settle(layout, group);
  }

  PlannedCalls traffic(const BucketLayout& bucket, const Step& step) const override {
    return votes_->traffic(bucket, step);
  }

  Task<> average(Bucket& bucket, Group& group) override {
    require_finite(bucket, group);
    const auto& momentum = momentum_.of(bucket.layout);
    const auto step = momentum * beta1_ + bucket.own * (1 - beta1_);
    momentum.mul_(beta2_).add_(bucket.own, 1 - beta2_);
    bucket.own.copy_(step);
    co_await votes_->average(bucket, group);
  }

  void visit_state(StateVisitor& visitor) override { momentum_.visit(visitor); }

 private:
  bool majority_;
  double beta1_;
  double beta2_;
  BucketState momentum_{"momentum"};
  std::unique_ptr<ByShares> votes_;
};

}  // namespace

MethodDefinition distributed_lion_method() {
  auto info = described("distributed-lion", "own optimiser", "Liu et al. 2024, arXiv 2404.00438",
                        "signs of each worker's Lion step; all workers step by the majority or the "
                        "mean of the signs");
  info.state_floats = 1;
  info.options = {option::always_shown(option::choice("vote", {"majority", "average"},
                                                      "how the workers' signs are combined")),
                  option::number("beta1", 0.9, {0.0, 0.9999}, "share of the momentum in a step"),
                  option::number("beta2", 0.99, {0.0, 0.9999}, "decay of the momentum")};
  info.collectives = {"all_to_all", "all_gather"};
  return averaging_momentum<DistributedLion>(info);
}

}  // namespace pacbench::trainer
