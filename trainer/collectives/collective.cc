#include "trainer/collectives/collective.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace pacbench::trainer {
namespace {

constexpr std::array kKinds{"all_reduce",   "all_gather", "all_to_all",
                            "send_receive", "broadcast",  "barrier"};

constexpr std::array<std::pair<at::ScalarType, const char*>, 7> kTypes{{{at::kFloat, "float32"},
                                                                        {at::kHalf, "float16"},
                                                                        {at::kBFloat16, "bfloat16"},
                                                                        {at::kChar, "int8"},
                                                                        {at::kByte, "uint8"},
                                                                        {at::kInt, "int32"},
                                                                        {at::kLong, "int64"}}};

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

const char* name_of(CollectiveKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

CollectiveKind kind_named(const std::string& name) {
  const auto found = std::find(kKinds.begin(), kKinds.end(), name);
  if (found == kKinds.end()) throw std::invalid_argument{"there is no collective \"" + name + '"'};
  return static_cast<CollectiveKind>(found - kKinds.begin());
}

const char* dtype_name(at::ScalarType type) {
  for (const auto& [known, name] : kTypes) {
    if (known == type) return name;
  }
  return c10::toString(type);
}

at::ScalarType dtype_named(const std::string& name) {
  for (const auto& [type, known] : kTypes) {
    if (name == known) return type;
  }
  throw std::invalid_argument{"no collective carries elements of type \"" + name + '"'};
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
