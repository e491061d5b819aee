#include "trainer/compose/replayed_exchanges.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/clock.h"
#include "contract/catalogue/choice_json.h"
#include "trainer/collectives/own_core.h"

namespace pacbench::trainer {
namespace {

using RecordedCall = MethodExchanges::Step;

/// The size of rank `rank`'s part when `elements` are divided among `size` ranks as equally as
/// possible.
std::int64_t share_of(std::int64_t elements, int rank, int size) {
  return Group::chunk_begin(elements, rank + 1, size) - Group::chunk_begin(elements, rank, size);
}

/// The peer of a send-receive: the rank whose count is not 0, or `own` when all counts are 0.
int peer_of(const std::vector<std::int64_t>& counts, int own) {
  const auto found =
      std::find_if(counts.begin(), counts.end(), [](auto count) { return count > 0; });
  return found == counts.end() ? own : static_cast<int>(found - counts.begin());
}

PendingCollective send_receive(const RecordedCall& step, const at::Tensor& payload, Group& group) {
  const auto from = peer_of(step.receive_counts, group.rank());
  const auto received = group.member() ? step.receive_counts.at(static_cast<std::size_t>(from)) : 0;
  return group.send_receive(payload, peer_of(step.send_counts, group.rank()), from, received);
}

PendingCollective all_to_all(const RecordedCall& step, const at::Tensor& payload, Group& group) {
  if (!step.send_counts.empty() || !group.member()) {
    return group.all_to_all(payload, step.send_counts, step.receive_counts);
  }
  std::vector<std::int64_t> send_counts;
  for (int peer = 0; peer < group.size(); ++peer) {
    send_counts.push_back(share_of(step.elements, peer, group.size()));
  }
  const std::vector<std::int64_t> receive_counts(
      send_counts.size(), share_of(step.elements, group.rank(), group.size()));
  return group.all_to_all(payload, send_counts, receive_counts);
}

PendingCollective call(const RecordedCall& step, const at::Tensor& payload, Group& group) {
  switch (kind_named(step.op)) {
    case CollectiveKind::kAllReduce:
      return group.all_reduce(payload);
    case CollectiveKind::kAllGather:
      return group.all_gather(payload);
    case CollectiveKind::kAllToAll:
      return all_to_all(step, payload, group);
    case CollectiveKind::kSendReceive:
      return send_receive(step, payload, group);
    case CollectiveKind::kBroadcast:
      return group.broadcast(payload, step.root);
    case CollectiveKind::kBarrier:
      break;
  }
  return group.barrier();
}

/// The payload of a step, in the same memory each time. Each all-reduce makes the values `ranks`
/// times as large. Floating-point values begin with the smallest normal number and are reset before
/// they become infinite, because adding denormal or infinite numbers takes a different time.
/// Integers begin with 1 and are never reset.
class Payload {
 public:
  Payload(const RecordedCall& step, c10::Device device) {
    if (step.dtype.empty()) {
      tensor_ = at::empty({0}, at::TensorOptions{device});
      return;
    }
    const auto type = dtype_named(step.dtype);
    tensor_ = at::empty({step.elements}, at::TensorOptions{type}.device(device));
    if (type == at::kHalf) least_ = 0x1p-14, most_ = 0x1p15;
    fill();
  }

  at::Tensor next(int ranks) {
    if (!tensor_.is_floating_point()) return tensor_;
    if (value_ * ranks > most_) fill();
    value_ *= ranks;
    return tensor_;
  }

 private:
  void fill() { tensor_.is_floating_point() ? tensor_.fill_(value_ = least_) : tensor_.fill_(1); }

  at::Tensor tensor_;
  double least_ = 0x1p-126;
  double most_ = 0x1p127;
  double value_ = 0;
};

/// The recorded calls of one rank in one exchange, with payloads of their own. Before, between and
/// after the calls the rank sleeps, `compute_factor` times as long as the method worked there.
class ReplayedCalls {
 public:
  ReplayedCalls(const MethodExchanges::Bucket& recorded, double compute_factor, const Group& group)
      : recorded_{recorded}, compute_factor_{compute_factor} {
    for (const auto& step : recorded.steps) {
      payloads_.emplace_back(step, group.device());
      plans_.push_back(plan_of(step, group.rank(), group.size()));
    }
  }

  const std::vector<PlannedCollective>& plans() const { return plans_; }

  Task<> replay(Group& group) {
    for (std::size_t i = 0; i < recorded_.steps.size(); ++i) {
      const auto& step = recorded_.steps[i];
      work(step.work_ms);
      auto some = step.ranks.empty() ? group : group.sub_group(step.ranks);
      const auto payload = payloads_[i].next(some.size());
      co_await call(step, payload, some);
    }
    work(recorded_.end_ms);
  }

 private:
  /// Sleeps on the thread on which the method would work, so that other buckets wait as long as
  /// they would wait for the method.
  void work(double ms) const {
    const OwnCore::Pause pause;
    sleep_until(emulated_ns() + static_cast<std::int64_t>(ms * compute_factor_ * 1e6));
  }

  MethodExchanges::Bucket recorded_;
  double compute_factor_;
  std::vector<Payload> payloads_;
  std::vector<PlannedCollective> plans_;
};

struct ReplayedIteration {
  ReplayedIteration(const MethodExchanges::Iteration& called, double factor, const Group& group)
      : beside{called.beside, factor, group},
        step{called.step, factor, group},
        weights{called.weights, factor, group},
        losses{called.losses} {
    for (const auto& bucket : called.buckets) buckets.emplace_back(bucket, factor, group);
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
    for (std::int64_t number = 1; number <= exchanges_.period(); ++number) {
      iterations_.emplace_back(exchanges_.iteration_of(group.rank(), number), compute_factor_,
                               group);
    }
    for (const auto& ranks : sub_groups_of(exchanges_)) group.sub_group(ranks);
  }

  ReplayedIteration& of(std::int64_t number) {
    return iterations_.at(static_cast<std::size_t>((number - 1) % exchanges_.period()));
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
    return rank_->of(step.number).buckets.at(static_cast<std::size_t>(bucket.index)).plans();
  }

  std::vector<PlannedCollective> finish_traffic() const override {
    return rank_->of(number_).beside.plans();
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
    return rank_->of(step.number).step.plans();
  }

  Task<bool> optimizer_step(OptimizerView& view, Group& group) override {
    auto& iteration = rank_->of(view.step.number);
    for (std::int64_t i = 0; i < iteration.losses; ++i) view.loss();
    co_await iteration.step.replay(group);
    co_return false;
  }

  std::vector<PlannedCollective> weights_traffic(const Layout&, const Step& step) const override {
    return rank_->of(step.number).weights.plans();
  }

  Task<> step_finished(OptimizerView& view, Group& group) override {
    return rank_->of(view.step.number).weights.replay(group);
  }

 private:
  MethodExchanges::Iteration first() const { return rank_->exchanges().iteration_of(0, 1); }

  std::shared_ptr<ReplayedRank> rank_;
};

}  // namespace

PlannedCollective plan_of(const MethodExchanges::Step& step, int rank, int size) {
  const auto kind = kind_named(step.op);
  const bool is_outside = step.dtype.empty();  // outside of the sub-group, or a barrier
  if (is_outside || !step.send_counts.empty()) return {kind, step.payload_bytes, 0, step.ranks};
  if (kind == CollectiveKind::kSendReceive) {
    throw std::invalid_argument{"a recorded step does not say to which rank a rank sends"};
  }
  const auto element_bytes = static_cast<std::int64_t>(c10::elementSize(dtype_named(step.dtype)));
  const bool direct = kind == CollectiveKind::kAllToAll;
  const auto kept = direct ? share_of(step.elements, rank, size) : 0;
  return {kind, (step.elements - kept) * element_bytes, step.root, step.ranks};
}

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
