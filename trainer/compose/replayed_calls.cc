#include "trainer/compose/replayed_calls.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <stdexcept>

#include "base/clock.h"
#include "trainer/collectives/names.h"
#include "trainer/collectives/own_core.h"
#include "trainer/collectives/sleep.h"

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

Payload::Payload(const RecordedCall& step, c10::Device device) {
  if (step.dtype.empty()) {
    tensor_ = at::empty({0}, at::TensorOptions{device});
    return;
  }
  const auto type = dtype_named(step.dtype);
  tensor_ = at::empty({step.elements}, at::TensorOptions{type}.device(device));
  if (type == at::kHalf) least_ = 0x1p-14, most_ = 0x1p15;
  fill();
}

at::Tensor Payload::next(int ranks) {
  if (!tensor_.is_floating_point()) return tensor_;
  if (value_ * ranks > most_) fill();
  value_ *= ranks;
  return tensor_;
}

void Payload::fill() {
  tensor_.is_floating_point() ? tensor_.fill_(value_ = least_) : tensor_.fill_(1);
}

ReplayedCalls::ReplayedCalls(const MethodExchanges::Bucket& recorded, double compute_factor,
                             c10::Device device)
    : recorded_{recorded}, compute_factor_{compute_factor} {
  for (const auto& step : recorded.steps) payloads_.emplace_back(step, device);
}

std::vector<PlannedCollective> ReplayedCalls::plans(int rank, int size) const {
  std::vector<PlannedCollective> plans;
  for (const auto& step : recorded_.steps) plans.push_back(plan_of(step, rank, size));
  return plans;
}

Task<> ReplayedCalls::replay(Group& group) {
  for (std::size_t i = 0; i < recorded_.steps.size(); ++i) {
    const auto& step = recorded_.steps[i];
    work(step.work_ms);
    auto some = step.ranks.empty() ? group : group.sub_group(step.ranks);
    const auto payload = payloads_[i].next(some.size());
    co_await call(step, payload, some);
  }
  work(recorded_.end_ms);
}

/// Sleeps on the thread on which the method would work, so that other buckets wait as long as they
/// would wait for the method.
void ReplayedCalls::work(double ms) const {
  const OwnCore::Pause pause;
  sleep_until(emulated_ns() + static_cast<std::int64_t>(ms * compute_factor_ * 1e6));
}

}  // namespace pacbench::trainer
