#include "contract/result/step_time.h"

#include <algorithm>

namespace pacbench {

double mean_iteration_s(const CellResult& cell) {
  if (cell.iterations == 0) return 0;
  const auto steps_s = std::max(0.0, cell.training_s - cell.pruning_s);
  return steps_s / static_cast<double>(cell.iterations);
}

double step_time_s(const CellResult& cell) {
  if (cell.period.value_or(1) == 1) return cell.time_per_iteration_s;
  return cell.period_step_s.value_or(mean_iteration_s(cell));
}

}  // namespace pacbench
