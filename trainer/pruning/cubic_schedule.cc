#include "trainer/pruning/cubic_schedule.h"

#include <fmt/format.h>

#include <stdexcept>

namespace pacbench::trainer {

double ratio_of_step(const PruningPlan& plan, std::int64_t step) {
  if (step < 1 || step > plan.steps) {
    throw std::logic_error{fmt::format("no pruning step {} of {}", step, plan.steps)};
  }
  const auto left = static_cast<double>(plan.steps - step) / static_cast<double>(plan.steps);
  return plan.ratio * (1 - left * left * left);
}

}  // namespace pacbench::trainer
