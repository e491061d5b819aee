#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace pacbench::trainer {

/// The order is that of the names (collective.cc).
enum class CollectiveKind {
  kAllReduce,
  kAllGather,
  kAllToAll,
  kSendReceive,  ///< only between ranks that have elements for each other
  kBroadcast,
  kBarrier
};
enum class Reduction { kSum, kMax, kBitOr };

/// One call of a collective by one rank. Tensors are contiguous and one-dimensional.
struct Collective {
  CollectiveKind kind = CollectiveKind::kBarrier;
  Reduction reduction = Reduction::kSum;
  at::Tensor input = {};   ///< all-reduce and broadcast work in place, on `input`
  at::Tensor output = {};  ///< all-gather: size × input's elements; else sum(receive_counts)
  // For all-to-all and send-receive: elements for each rank, and from each rank.
  std::vector<std::int64_t> send_counts = {};
  std::vector<std::int64_t> receive_counts = {};
  int root = 0;
};

/// A collective that a method declares before it calls it: enough to know the bytes that each rank
/// sends.
struct PlannedCollective {
  CollectiveKind kind = CollectiveKind::kBarrier;
  /// The payload of one rank; for all-to-all and send-receive, its payload for other ranks.
  std::int64_t payload_bytes = 0;
  int root = 0;
  std::vector<int> ranks = {};  ///< of the sub-group that calls it, ascending; empty: all
};
using PlannedCalls = std::vector<PlannedCollective>;

/// The name of an operation in a trace ("all_reduce"), and the operation of a name. Throws
/// std::invalid_argument for an unknown name.
const char* name_of(CollectiveKind kind);
CollectiveKind kind_named(const std::string& name);

/// The name of a type in PyTorch ("float32"), for types that are never sent torch's internal name;
/// and the type of a name. Throws std::invalid_argument for an unknown name.
const char* dtype_name(at::ScalarType type);
at::ScalarType dtype_named(const std::string& name);

/// Bytes of payload that `rank` of `size` sends for one collective, as most backends carry it out,
/// with N ranks and payload b. Ring all-reduce: 2(N-1)/N · b (Patarasuk and Yuan 2009). Ring
/// all-gather: (N-1) · b. Direct all-to-all and send-receive: b. Broadcast down a binomial tree: b
/// for each child. Barrier: 0. Headers are not included.
std::int64_t sent_bytes(const PlannedCollective& call, int rank, int size);

/// Returns the plan that `rank`'s call carries out. `rank` is its number in the group that makes
/// the call. The plan's `ranks` is empty, which stands for all ranks of that group.
PlannedCollective plan_of(const Collective& call, int rank);

}  // namespace pacbench::trainer
