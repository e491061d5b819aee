#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/worker/worker_event.h"

namespace pacbench::exports {

/// A phase of one rank's iteration on one of its tracks.
struct Slice {
  int track = 0;  ///< 0: what the training thread does; 1 + i: the exchange of bucket i
  const char* category = "";
  std::string name;
  Span span;
  Json args = Json::object();
};

/// The phases of an iteration; on each track they nest, and one that holds others comes first.
///   track 0      iteration > forward, backward, wait (for the means), optimizer
///   track 1 + i  bucket i > encode, queue (for its turn), the collective, ..., decode
std::vector<Slice> iteration_slices(const IterationEvent& event);

/// The bytes of a rank's incomplete collectives from `at_ns` on.
struct Backlog {
  std::int64_t at_ns = 0;
  std::int64_t bytes = 0;
};

/// The bytes of the collectives that are handed to the group and not complete. Each counts in full
/// until it ends. There is one value for each time of change, in order of time; the last is 0.
std::vector<Backlog> backlog(const IterationEvent& event);

}  // namespace pacbench::exports
