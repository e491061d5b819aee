#pragma once

#include <cstdint>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench::record {

/// Consecutive iterations of a training in which rank 0 sent equally much.
struct AlikeIterations {
  std::int64_t iterations = 0;
  std::int64_t sent_bytes = 0;  ///< in each of them, as the method declares
};

/// A step of pruning, whose time is part of the training clock.
struct PruningStep {
  std::int64_t after = 0;  ///< the last iteration before it; 0: before the first
  double seconds = 0;
};

/// The facts that a cell of mode compose or simulate takes from the run that trained, besides its
/// evaluations.
struct Training {
  std::vector<AlikeIterations> iterations;  ///< in their order
  std::vector<PruningStep> pruning;
  double kept_fraction = 1;  ///< of the prunable weights, after the last of these steps
};

/// The event "training" of a cell's events.jsonl.
Json to_json(const Training& training);

/// Throws nlohmann::json::exception when `event` is no event "training". An event of an earlier
/// pacbench has no pruning.
Training training_from_json(const Json& event);

}  // namespace pacbench::record
