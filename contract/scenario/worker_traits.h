#pragma once

#include "base/json/checked_keys.h"

namespace pacbench {

/// In what a worker differs from the others. Scenario, worker and simulation share this struct and
/// its table of keys, so that a new trait is an entry here and whoever acts on it.
struct WorkerTraits {
  double compute_factor = 1;
  double start_delay_s = 0;  ///< on the training clock
};

template <>
struct JsonFields<WorkerTraits> {
  using T = WorkerTraits;
  static constexpr std::tuple kAll{
      defaulted("compute_factor", &T::compute_factor, Range{1.0, 1000.0},
                "how many times as long forward and backward of this worker take"),
      sparse("start_delay_s", &T::start_delay_s, Range{0.0, 86400.0},
             "seconds after the others, when this worker begins its first iteration")};
};

}  // namespace pacbench
