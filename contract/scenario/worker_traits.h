#pragma once

#include "base/checked_keys.h"

namespace pacbench {

/// In what a worker differs from the others. Scenario, worker and simulation share this struct and
/// its table of keys, so that a new trait is an entry here and whoever acts on it.
struct WorkerTraits {
  double compute_factor = 1;  ///< its forward and backward take this many times as long
};

template <>
struct JsonFields<WorkerTraits> {
  using T = WorkerTraits;
  static constexpr std::tuple kAll{
      sparse("compute_factor", &T::compute_factor, Range{1.0, 1000.0},
             "how many times as long forward and backward of this worker take")};
};

}  // namespace pacbench
