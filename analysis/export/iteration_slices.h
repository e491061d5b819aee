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

/// How much a rank had left to send by then.
struct Backlog {
  std::int64_t at_ns = 0;
  std::int64_t bytes = 0;
};

/// Bytes that collectives which are handed to the group, and not complete, make this rank send:
/// a value for each time at which it changes, ascending; the last one is 0.
std::vector<Backlog> backlog(const IterationEvent& event);

}  // namespace pacbench::exports
