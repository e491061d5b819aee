#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "trainer/collectives/group.h"

namespace pacbench::trainer {

/// The mean of rows of which each rank holds only some, the others being zero: all ranks learn
/// which rows each holds, every rank adds an equal share of the rows that anybody holds, and the
/// means go round. Blocks of a gradient (OmniReduce) and the rows of an embedding (EmbRace) travel
/// so. It remembers what one average called until the next one.
class RowExchange {
 public:
  RowExchange() = default;
  RowExchange(std::int64_t rows, std::int64_t width) : rows_{rows}, width_{width} {}

  /// Turns float[rows, width] into the mean over all ranks, of the rows that `held` (bool[rows])
  /// has on this rank and the others have on theirs. What lies in other rows does not count.
  Task<> average(at::Tensor rows, at::Tensor held, Group& group);

  /// The collectives of the last average, from the bits that all ranks exchanged.
  std::vector<PlannedCollective> traffic() const;

 private:
  class Plan;

  std::vector<at::Tensor> unpacked(const at::Tensor& bits, int ranks) const;

  std::int64_t rows_ = 0;
  std::int64_t width_ = 0;
  std::int64_t sent_rows_ = 0;
  std::int64_t returned_rows_ = 0;
};

}  // namespace pacbench::trainer
