#include "contract/result/mean_iteration.h"

#include <algorithm>

namespace pacbench {

double mean_iteration_s(const CellResult& cell) {
  if (cell.iterations == 0) return 0;
  const auto steps_s = std::max(0.0, cell.training_s - cell.pruning_s);
  return steps_s / static_cast<double>(cell.iterations);
}

}  // namespace pacbench
