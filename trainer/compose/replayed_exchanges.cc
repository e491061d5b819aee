#include "trainer/compose/replayed_exchanges.h"

#include <fmt/format.h>

#include <set>

#include "contract/catalogue/choice_json.h"
#include "trainer/compose/replayed_calls.h"

namespace pacbench::trainer {
namespace {

/// The calls of one rank's iteration.
struct ReplayedIteration {
  ReplayedIteration(const MethodExchanges::Iteration& called, double factor, c10::Device device)
      : beside{called.beside, factor, device},
        step{called.step, factor, device},
        weights{called.weights, factor, device},
        losses{called.losses} {
    for (const auto& bucket : called.buckets) buckets.emplace_back(bucket, factor, device);
  }

  std::vector<ReplayedCalls> buckets;
  ReplayedCalls beside;
  ReplayedCalls step;
  ReplayedCalls weights;
  std::int64_t losses;
};

/// One rank's iterations of one period, after which its calls repeat.
class ReplayedRank {
 public:
  ReplayedRank(MethodExchanges exchanges, double compute_factor)
      : exchanges_{std::move(exchanges)}, compute_factor_{compute_factor} {}

  /// Makes the payloads and lets the members of sub-groups meet, before time is measured.
  void settle(Group& group) {
    if (!iterations_.empty()) return;
    rank_ = group.rank();
    size_ = group.size();
    for (std::int64_t number = 1; number <= exchanges_.period(); ++number) {
      iterations_.emplace_back(exchanges_.iteration_of(rank_, number), compute_factor_,
                               group.device());
    }
    for (const auto& ranks : sub_groups_of(exchanges_)) group.sub_group(ranks);
  }

  ReplayedIteration& of(std::int64_t number) {
    return iterations_.at(static_cast<std::size_t>((number - 1) % exchanges_.period()));
  }
  const ReplayedIteration& of(std::int64_t number) const {
    return iterations_.at(static_cast<std::size_t>((number - 1) % exchanges_.period()));
  }

  std::vector<PlannedCollective> plans(const ReplayedCalls& calls) const {
    return calls.plans(rank_, size_);
  }

  const MethodExchanges& exchanges() const { return exchanges_; }

 private:
  /// The sub-groups of all ranks, in the order in which every rank makes them.
  static std::set<std::vector<int>> sub_groups_of(const MethodExchanges& exchanges) {
    std::set<std::vector<int>> all;
    const auto add = [&all](const MethodExchanges::Bucket& recorded) {
      for (const auto& step : recorded.steps) {
        if (!step.ranks.empty()) all.insert(step.ranks);
      }
    };
    for (const auto& rank : exchanges.ranks) {
      for (const auto& iteration : rank.iterations) {
        for (const auto& bucket : iteration.buckets) add(bucket);
        for (const auto* other : {&iteration.beside, &iteration.step, &iteration.weights}) {
          add(*other);
        }
      }
    }
    return all;
  }

  MethodExchanges exchanges_;
  double compute_factor_;
  std::vector<ReplayedIteration> iterations_;
  int rank_ = 0;
  int size_ = 1;
};

class ReplayedExchanges final : public Averager {
 public:
  explicit ReplayedExchanges(std::shared_ptr<ReplayedRank> rank) : rank_{std::move(rank)} {}

  Task<> settle(const Layout&, Group& group) override {
    rank_->settle(group);
    co_return;
  }

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket,
                                         const Step& step) const override {
    return rank_->plans(rank_->of(step.number).buckets.at(static_cast<std::size_t>(bucket.index)));
  }

  std::vector<PlannedCollective> finish_traffic() const override {
    return rank_->plans(rank_->of(number_).beside);
  }

  Task<> average(Bucket& bucket, Group& group) override {
    number_ = bucket.step.number;
    return rank_->of(number_)
        .buckets.at(static_cast<std::size_t>(bucket.layout.index))
        .replay(group);
  }

  Task<> finish_iteration(Group& group) override {
    return rank_->of(number_++).beside.replay(group);
  }

 private:
  std::shared_ptr<ReplayedRank> rank_;
  std::int64_t number_ = 1;  ///< of the iteration; counted here where there are no buckets
};

class Replayed final : public Method {
 public:
  explicit Replayed(std::shared_ptr<ReplayedRank> rank)
      : Method{std::make_unique<ReplayedExchanges>(rank)}, rank_{std::move(rank)} {}

  Scope scope() const override {
    return first().buckets.size() == 1 ? Scope::kModel : Scope::kBucket;
  }
  bool needs_gradients() const override { return !first().buckets.empty(); }

  std::vector<PlannedCollective> step_traffic(const Layout&, const Step& step) const override {
    return rank_->plans(rank_->of(step.number).step);
  }

  Task<bool> optimizer_step(OptimizerView& view, Group& group) override {
    auto& iteration = rank_->of(view.step.number);
    for (std::int64_t i = 0; i < iteration.losses; ++i) view.loss();
    co_await iteration.step.replay(group);
    co_return false;
  }

  std::vector<PlannedCollective> weights_traffic(const Layout&, const Step& step) const override {
    return rank_->plans(rank_->of(step.number).weights);
  }

  Task<> step_finished(OptimizerView& view, Group& group) override {
    return rank_->of(view.step.number).weights.replay(group);
  }

 private:
  MethodExchanges::Iteration first() const { return rank_->exchanges().iteration_of(0, 1); }

  std::shared_ptr<ReplayedRank> rank_;
};

}  // namespace

std::unique_ptr<Method> make_replayed(MethodExchanges exchanges, double compute_factor) {
  return std::make_unique<Replayed>(
      std::make_shared<ReplayedRank>(std::move(exchanges), compute_factor));
}

std::unique_ptr<Method> make_replayed(const WorkerSpec& spec) {
  const auto* found = find_exchanges(spec.compose->profile.exchanges, choice_to_json(spec.method),
                                     spec.workers, spec.link);
  if (found != nullptr) return make_replayed(*found, spec.traits.compute_factor);
  throw ConfigError{"worker specification",
                    {{"/compose/profile/exchanges",
                      fmt::format("found no exchanges of {} among {} workers over this link; "
                                  "profile them with pacbench profile --exchanges",
                                  choice_to_json(spec.method).dump(), spec.workers)}}};
}

}  // namespace pacbench::trainer
