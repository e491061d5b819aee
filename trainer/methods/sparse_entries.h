#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "trainer/methods/averager.h"
#include "trainer/methods/index_code.h"

namespace pacbench::trainer {

/// How a rank's `kept` entries out of `elements` travel: their float32 values, and behind them
/// which they are, as IndexCode or as four bytes each. All ranks keep equally many, though not the
/// same: an all-gather carries them, N - 1 times the bytes.
class SparseEntries {
 public:
  SparseEntries(std::int64_t elements, std::int64_t kept, bool packed = true);

  PlannedCollective traffic() const { return {CollectiveKind::kAllGather, 4 * words()}; }

  /// The entries at `places` (ascending int64[kept]) of `own`, summed over all ranks and divided by
  /// their number, to `mean`, which may be the same memory. With `takes_them` own[places] is zero
  /// afterwards.
  Task<> average(at::Tensor own, at::Tensor places, bool takes_them, at::Tensor mean,
                 Group& group) const;

 private:
  std::int64_t words() const;
  at::Tensor encode(const at::Tensor& values, const at::Tensor& places) const;
  at::Tensor places_in(const at::Tensor& payload) const;
  at::Tensor values_in(const at::Tensor& payload) const;

  std::int64_t kept_;
  bool packed_;
  IndexCode code_;
};

}  // namespace pacbench::trainer
