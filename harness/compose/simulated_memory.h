#pragma once

#include <cstdint>
#include <string>

#include "contract/scenario/scenario.h"

namespace pacbench::compose {

/// The memory that the largest cell of a scenario in mode simulate takes.
struct SimulatedMemory {
  std::int64_t messages = 0;  ///< under way at the same time
  std::int64_t bytes = 0;
  std::string label;  ///< of the cell's method
};
SimulatedMemory estimate_simulated_memory(const Scenario& scenario);

/// Throws ConfigError with the estimate when a cell needs more memory than `available_bytes`.
void require_memory_to_simulate(const Scenario& scenario, std::int64_t available_bytes);

}  // namespace pacbench::compose
