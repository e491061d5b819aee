#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "trainer/collectives/group.h"

namespace pacbench::trainer {

/// The mean of rows of which each rank holds only some; a rank's other rows count as zero. All
/// ranks learn which rows each rank holds. Every rank then sums an equal share of the rows that any
/// rank holds, and all ranks receive the means. Blocks of a gradient (OmniReduce) and the rows of
/// an embedding (EmbRace) travel in this way. The object remembers the calls of one average until
/// the next one.
class RowExchange {
 public:
  RowExchange() = default;
  RowExchange(std::int64_t rows, std::int64_t width) : rows_{rows}, width_{width} {}

  /// Turns float[rows, width] into the mean over all ranks. Each rank contributes the rows that its
  /// own `held` (bool[rows]) marks; its other rows count as zero.
  Task<> average(at::Tensor rows, at::Tensor held, Group& group);

  /// The collectives of the last average, from the bits that all ranks exchanged.
  PlannedCalls traffic() const;

 private:
  std::int64_t rows_ = 0;
  std::int64_t width_ = 0;
  std::int64_t sent_rows_ = 0;
  std::int64_t returned_rows_ = 0;
};

}  // namespace pacbench::trainer
