#pragma once

#include <vector>

#include "contract/worker/worker_event.h"

namespace pacbench::record {

double length_s(const Span& span);

/// The seconds that at least one of the spans covers.
double covered_s(std::vector<Span> spans);

/// The seconds in `late` that no span of `busy` covers.
double uncovered_s(const std::vector<Span>& late, const std::vector<Span>& busy);

/// The spans in which collectives were under way.
std::vector<Span> wire_spans(const std::vector<BucketTrace>& buckets);

/// One stretch of an iteration: what a rank, or one of its buckets, was doing.
struct Phase {
  const char* kind;  ///< forward, backward, wait, optimizer; encode, queue, wire, decode
  int bucket = -1;   ///< -1: the rank's own thread, or collectives outside of buckets
  Span time;
  const CollectiveTrace* collective = nullptr;  ///< of `wire`: lives as long as the event does
};

/// The phases of one iteration. First come those of the rank's thread: forward, backward, the wait
/// for means and the optimiser. Each bucket then has encode, queue and wire for each of its
/// collectives, and decode after the last one. A bucket that sends nothing is in encode all the
/// time, or in queue where the exchange of another bucket does its work. Whatever was recorded, no
/// phase begins before the preceding one of the same thread or bucket ended, and each is cut to its
/// step or exchange. Phases that took no time are left out.
std::vector<Phase> iteration_phases(const IterationEvent& event);

}  // namespace pacbench::record
