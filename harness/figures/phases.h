#pragma once

#include <string>
#include <vector>

#include "spec/worker_event.h"

namespace pacbench {

/// One stretch of a timeline: what a rank, or one of its buckets, was at.
struct TimelineSpan {
  const char* kind;  ///< forward, backward, wait, optimizer; encode, queue, wire, decode
  int bucket = -1;   ///< -1: the rank's own thread
  Span time;
};

/// Where the time of one iteration went: forward, backward, the wait for means and the optimiser,
/// and each bucket's way: encoded, held until it is its turn, on the wire, decoded.
std::vector<TimelineSpan> timeline_of(const IterationEvent& event);

/// One iteration of a rank cut into parts that lie behind one another, in seconds: they add up to
/// its step.
struct StepPhases {
  double compute_s = 0;         ///< forward and backward
  double exposed_encode_s = 0;  ///< after backward, no collective under way
  double exposed_wire_s = 0;    ///< after backward, at least one collective under way
  double rest_s = 0;            ///< optimiser, and what lies between

  double sum_s() const { return compute_s + exposed_encode_s + exposed_wire_s + rest_s; }
};

StepPhases step_phases(const IterationEvent& event);

}  // namespace pacbench
