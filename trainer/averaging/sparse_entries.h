#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "trainer/averaging/averager.h"
#include "trainer/encoding/sparse_code.h"

namespace pacbench::trainer {

/// The mean of sparse vectors. All ranks keep the same number of the `elements` entries, though not
/// the same entries. An all-gather carries them, at N - 1 times the bytes of one rank.
class SparseEntries {
 public:
  SparseEntries(std::int64_t elements, std::int64_t kept, bool packed = true);

  PlannedCollective traffic() const { return {CollectiveKind::kAllGather, 4 * code_.words()}; }

  /// Sums the entries at `places` (ascending int64[kept]) of `own` over all ranks, divided by the
  /// number of ranks, into `mean`, which may be the memory of `own`. `takes_them` sets own[places]
  /// to zero before `mean` is written.
  Task<> average(at::Tensor own, at::Tensor places, bool takes_them, at::Tensor mean,
                 Group& group) const;

 private:
  SparseCode code_;
};

/// The mean of sparse vectors. Each rank keeps its own number of entries, perhaps none. All ranks
/// know these numbers, and an all-to-all carries the entries.
class UnequalEntries {
 public:
  /// `kept` has the number of entries that each rank keeps.
  UnequalEntries(std::int64_t elements, std::vector<std::int64_t> kept, bool packed = true);

  PlannedCollective traffic(int rank) const;

  /// As SparseEntries::average, with kept[rank] places.
  Task<> average(at::Tensor own, at::Tensor places, bool takes_them, at::Tensor mean,
                 Group& group) const;

 private:
  /// The code of each rank; empty for a rank that keeps nothing.
  std::vector<std::optional<SparseCode>> codes_;
};

/// Returns how many entries (or bytes) each rank has, by rank, where that depends on a rank's data.
/// counts_traffic() is the call that this makes: an all-gather of 8 bytes.
inline PlannedCollective counts_traffic() { return {CollectiveKind::kAllGather, 8}; }
Task<std::vector<std::int64_t>> gather_counts(std::int64_t own, Group& group);

}  // namespace pacbench::trainer
