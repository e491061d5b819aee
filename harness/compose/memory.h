#pragma once

#include <cstdint>
#include <string>

#include "contract/catalogue/catalogue.h"
#include "contract/scenario/scenario.h"

namespace pacbench::compose {

/// The most memory that the workers of a composed cell need, counted from compose.profile.
struct MemoryEstimate {
  std::int64_t worker_bytes = 0;  ///< in each worker but rank 0, which may need more
  std::int64_t total_bytes = 0;   ///< in all workers together
  std::string label;              ///< of the method that needs it
};

/// Counts for each parameter a weight, a gradient and its encoding (a float each), the method's own
/// state and, with error feedback, a residual. Pruning adds a mask of one byte and, in rank 0,
/// scores. Each worker needs 300 MB more for its libraries and the data. Where exchanges are
/// replayed, a worker needs the weights, the payloads, the buffers that receive other ranks'
/// payloads, and 300 MB.
MemoryEstimate estimate_memory(const Scenario& scenario, const Catalogue& catalogue);

/// Throws ConfigError naming method, workers and estimate when less than the estimate is available.
void require_memory(const Scenario& scenario, const Catalogue& catalogue,
                    std::int64_t available_bytes);

/// The memory that the largest cell of a scenario in mode simulate takes.
struct SimulatedMemory {
  std::int64_t messages = 0;  ///< under way at the same time
  std::int64_t bytes = 0;
  std::string label;  ///< of the cell's method
};
SimulatedMemory estimate_simulated_memory(const Scenario& scenario);

/// Throws ConfigError with the estimate when a cell needs more memory than `available_bytes`.
void require_memory_to_simulate(const Scenario& scenario, std::int64_t available_bytes);

/// The bytes that are available without swapping (MemAvailable of /proc/meminfo). The largest
/// std::int64_t where the kernel does not say.
std::int64_t available_memory();

}  // namespace pacbench::compose
