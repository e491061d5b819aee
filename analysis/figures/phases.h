#pragma once

#include "contract/worker/worker_event.h"

namespace pacbench::figures {

/// One iteration of a rank, cut into parts in seconds that add up to its step.
struct StepPhases {
  double compute_s = 0;         ///< forward and backward
  double exposed_encode_s = 0;  ///< after backward, no collective under way
  double exposed_wire_s = 0;    ///< after backward, at least one collective under way
  double rest_s = 0;            ///< optimiser, and what lies between the parts

  double sum_s() const { return compute_s + exposed_encode_s + exposed_wire_s + rest_s; }
};

StepPhases step_phases(const IterationEvent& event);

}  // namespace pacbench::figures
