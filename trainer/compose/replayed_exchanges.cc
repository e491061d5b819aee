#include "trainer/compose/replayed_exchanges.h"
#include "contract/catalogue/choice_json.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include "base/clock.h"
#include "trainer/collectives/names.h"
#include "trainer/compose/sleep.h"

namespace pacbench::trainer {
namespace {

using Recorded = MethodExchanges::Bucket;
using RecordedCall = MethodExchanges::Step;

/// Elements of one rank's share where all shares are of one size, or nearly.
std::int64_t share_of(std::int64_t elements, int rank, int size) {
  return Group::chunk_begin(elements, rank + 1, size) - Group::chunk_begin(elements, rank, size);
}

/// The payload of a step, in the same memory each time. Each sum leaves the values `ranks` times as
/// large. They begin with the smallest normal number and are filled anew before they are infinite,
/// because denormal and infinite numbers take another time to add.
class Payload {
 public:
  Payload(const RecordedCall& step, c10::Device device) {
    if (step.dtype.empty()) return;
    const auto type = dtype_named(step.dtype);
    tensor_ = at::empty({step.elements}, at::TensorOptions{type}.device(device));
    if (type == at::kHalf) least_ = 0x1p-14, most_ = 0x1p15;
    fill();
  }

  at::Tensor next(int ranks) {
    if (!tensor_.defined() || !tensor_.is_floating_point()) return tensor_;
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

class ReplayedExchanges final : public Averager {
 public:
  ReplayedExchanges(MethodExchanges exchanges, double compute_factor)
      : exchanges_{std::move(exchanges)}, compute_factor_{compute_factor} {}

  Task<> settle(const Layout&, Group& group) override {
    rank_ = group.rank();
    size_ = group.size();
    if (payloads_.empty()) make_payloads(group.device());
    co_return;
  }

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override {
    return plans_of(exchanges_.buckets.at(static_cast<std::size_t>(bucket.index)));
  }

  std::vector<PlannedCollective> finish_traffic() const override {
    return plans_of(exchanges_.beside);
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto index = static_cast<std::size_t>(bucket.layout.index);
    return replay(exchanges_.buckets.at(index), payloads_.at(index), group);
  }

  Task<> finish_iteration(Group& group) override {
    return replay(exchanges_.beside, beside_, group);
  }

 private:
  void make_payloads(c10::Device device) {
    const auto of = [device](const Recorded& bucket) {
      std::vector<Payload> payloads;
      for (const auto& step : bucket.steps) payloads.emplace_back(step, device);
      return payloads;
    };
    for (const auto& bucket : exchanges_.buckets) payloads_.push_back(of(bucket));
    beside_ = of(exchanges_.beside);
  }

  std::vector<PlannedCollective> plans_of(const Recorded& bucket) const {
    std::vector<PlannedCollective> plans;
    for (const auto& step : bucket.steps) plans.push_back(plan_of(step, rank_, size_));
    return plans;
  }

  Task<> replay(const Recorded& bucket, std::vector<Payload>& payloads, Group& group) {
    for (std::size_t i = 0; i < bucket.steps.size(); ++i) {
      work(bucket.steps[i].work_ms);
      const auto payload = payloads[i].next(size_);
      co_await call(bucket.steps[i], payload, group);
    }
    work(bucket.end_ms);
  }

  /// On the thread on which the method would work, where other buckets wait for it.
  void work(double ms) const {
    sleep_until(monotonic_ns() + static_cast<std::int64_t>(ms * compute_factor_ * 1e6));
  }

  PendingCollective call(const RecordedCall& step, const at::Tensor& payload, Group& group) const {
    switch (kind_named(step.op)) {
      case CollectiveKind::kAllReduce:
        return group.all_reduce(payload);
      case CollectiveKind::kAllGather:
        return group.all_gather(payload);
      case CollectiveKind::kAllToAll: {
        std::vector<std::int64_t> send_counts;
        for (int peer = 0; peer < size_; ++peer) {
          send_counts.push_back(share_of(step.elements, peer, size_));
        }
        const std::vector<std::int64_t> receive_counts(send_counts.size(),
                                                       share_of(step.elements, rank_, size_));
        return group.all_to_all(payload, send_counts, receive_counts);
      }
      case CollectiveKind::kBroadcast:
        return group.broadcast(payload, 0);
      case CollectiveKind::kSendReceive:  // plan_of has refused it
      case CollectiveKind::kBarrier:
        break;
    }
    return group.barrier();
  }

  MethodExchanges exchanges_;
  double compute_factor_;
  std::vector<std::vector<Payload>> payloads_;
  std::vector<Payload> beside_;
  int rank_ = 0;
  int size_ = 1;
};

class Replayed final : public Method {
 public:
  Replayed(std::unique_ptr<Averager> exchanges, Scope scope)
      : Method{std::move(exchanges)}, scope_{scope} {}
  Scope scope() const override { return scope_; }

 private:
  Scope scope_;
};

}  // namespace

PlannedCollective plan_of(const MethodExchanges::Step& step, int rank, int size) {
  const auto kind = kind_named(step.op);
  if (kind == CollectiveKind::kBarrier) return {kind, 0, 0};
  if (kind == CollectiveKind::kSendReceive) {
    throw std::invalid_argument{"a profile does not tell whom a rank sends to"};
  }
  const auto element_bytes = static_cast<std::int64_t>(c10::elementSize(dtype_named(step.dtype)));
  const bool direct = kind == CollectiveKind::kAllToAll;
  const auto kept = direct ? share_of(step.elements, rank, size) : 0;
  return {kind, (step.elements - kept) * element_bytes, 0};
}

std::unique_ptr<Method> make_replayed(MethodExchanges exchanges, double compute_factor) {
  const auto scope = exchanges.buckets.size() == 1 ? Method::Scope::kModel : Method::Scope::kBucket;
  return std::make_unique<Replayed>(
      std::make_unique<ReplayedExchanges>(std::move(exchanges), compute_factor), scope);
}

std::unique_ptr<Method> make_replayed(const WorkerSpec& spec) {
  const auto* found = find_exchanges(spec.compose->profile.exchanges, choice_to_json(spec.method),
                                     spec.workers, spec.link);
  if (found != nullptr) return make_replayed(*found, spec.compute_factor);
  throw ConfigError{"worker specification",
                    {{"/compose/profile/exchanges",
                      fmt::format("found no entry of {} among {} workers over this link",
                                  choice_to_json(spec.method).dump(), spec.workers)}}};
}

}  // namespace pacbench::trainer
