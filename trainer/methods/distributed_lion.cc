// Distributed Lion (Liu et al. 2024, arXiv 2404.00438): each worker computes Lion's step with its
// own momentum, a sign for each entry. All workers apply the sign that most have (`majority`;
// chance decides a tie, where the authors' code takes the negative sign), or the mean of the signs
// (`average`).
#include "trainer/averaging/bucket_state.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/votes.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class DistributedLion final : public Averager {
 public:
  struct Options {
    bool majority = true;
    double beta1 = 0;
    double beta2 = 0;
  };

  explicit DistributedLion(const Options& options) : options_{options} {}

  Task<> settle(const Layout& layout, Group& group) override {
    momentum_.settle(layout, group.device());
    std::unique_ptr<ShareCode> code;
    if (options_.majority) {
      code = std::make_unique<Votes>();
    } else {
      code = std::make_unique<CountedVotes>(group.size());
    }
    votes_ = std::make_unique<ByShares>(std::move(code));
    return votes_->settle(layout, group);
  }

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket,
                                         const Step& step) const override {
    return votes_->traffic(bucket, step);
  }

  Task<> average(Bucket& bucket, Group& group) override {
    require_finite(bucket, group);
    const auto& momentum = momentum_.of(bucket.layout);
    const auto step = momentum * options_.beta1 + bucket.own * (1 - options_.beta1);
    momentum.mul_(options_.beta2).add_(bucket.own, 1 - options_.beta2);
    bucket.own.copy_(step);
    co_await votes_->average(bucket, group);
  }

  void visit_state(StateVisitor& visitor) override { momentum_.visit(visitor); }

 private:
  Options options_;
  BucketState momentum_{"momentum"};
  std::unique_ptr<ByShares> votes_;
};

}  // namespace

MethodDefinition distributed_lion_method() {
  MethodInfo info;
  info.name = "distributed-lion";
  info.summary =
      "signs of each worker's Lion step; all workers step by the majority or the mean of the signs";
  info.paper = "Liu et al. 2024, arXiv 2404.00438";
  info.family = "own optimiser";
  info.state_floats = 1;
  auto vote =
      option::choice("vote", {"majority", "average"}, "how the workers' signs are combined");
  vote.in_label.always = true;
  info.options = {vote,
                  option::number("beta1", 0.9, {0.0, 0.9999}, "share of the momentum in a step"),
                  option::number("beta2", 0.99, {0.0, 0.9999}, "decay of the momentum")};
  info.collectives = {"all_to_all", "all_gather"};
  return averaging_momentum(
      info, [](const Json& options, const RunFacts&) -> std::unique_ptr<Averager> {
        return std::make_unique<DistributedLion>(DistributedLion::Options{
            options.at("vote") == "majority", options.at("beta1"), options.at("beta2")});
      });
}

}  // namespace pacbench::trainer
