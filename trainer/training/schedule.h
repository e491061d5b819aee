#pragma once

#include <cstdint>

#include "contract/scenario/workload.h"

namespace pacbench::trainer {

/// The learning rate of `iteration` (from 1) of `max_iterations`. It is constant, is multiplied by
/// `gamma` after each milestone (step), or falls from `lr` towards 0 (cosine). Throws ConfigError
/// for another kind of schedule.
double learning_rate(const Optimizer& optimizer, std::int64_t iteration,
                     std::int64_t max_iterations);

}  // namespace pacbench::trainer
