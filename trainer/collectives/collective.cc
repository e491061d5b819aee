#include "trainer/collectives/collective.h"

#include <numeric>
#include <stdexcept>

namespace pacbench::trainer {
namespace {

/// The number of children of `rank` in the binomial tree that is rooted at `root`: in each round
/// every rank that holds the data passes it on to one that does not, as long as there are such.
std::int64_t tree_children(int rank, int size, int root) {
  const int position = (rank - root + size) % size;
  std::int64_t children = 0;
  for (int distance = 1; distance < size; distance *= 2) {
    if (position < distance && position + distance < size) ++children;
  }
  return children;
}

}  // namespace

const char* name_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return "all_reduce";
    case CollectiveKind::kAllGather:
      return "all_gather";
    case CollectiveKind::kAllToAll:
      return "all_to_all";
    case CollectiveKind::kSendReceive:
      return "send_receive";
    case CollectiveKind::kBroadcast:
      return "broadcast";
    case CollectiveKind::kBarrier:
      return "barrier";
  }
  throw std::logic_error{"a collective without a name"};
}

std::int64_t sent_bytes(const PlannedCollective& call, int rank, int size) {
  switch (call.kind) {
    case CollectiveKind::kAllReduce:
      return 2 * (size - 1) * call.payload_bytes / size;
    case CollectiveKind::kAllGather:
      return (size - 1) * call.payload_bytes;
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kSendReceive:
      return call.payload_bytes;
    case CollectiveKind::kBroadcast:
      return tree_children(rank, size, call.root) * call.payload_bytes;
    case CollectiveKind::kBarrier:
      return 0;
  }
  throw std::logic_error{"a collective without a cost"};
}

PlannedCollective plan_of(const Collective& call, int rank) {
  if (call.kind == CollectiveKind::kBarrier) return {call.kind, 0, 0};
  const auto element_bytes = static_cast<std::int64_t>(call.input.element_size());
  if (!call.send_counts.empty()) {
    const auto all =
        std::accumulate(call.send_counts.begin(), call.send_counts.end(), std::int64_t{0});
    const auto own = call.send_counts.at(static_cast<std::size_t>(rank));
    return {call.kind, (all - own) * element_bytes, 0};
  }
  return {call.kind, call.input.numel() * element_bytes, call.root};
}

}  // namespace pacbench::trainer
