#pragma once

#include <cstdint>

#include "contract/scenario/workload.h"

namespace pacbench::trainer {

/// The learning rate of `iteration` (from 1) of `max_iterations`: constant; step, where `gamma`
/// applies once more after each milestone; or cosine, which falls from `lr` towards 0.
double learning_rate(const Optimizer& optimizer, std::int64_t iteration,
                     std::int64_t max_iterations);

}  // namespace pacbench::trainer
