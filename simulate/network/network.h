#pragma once

#include <optional>
#include <vector>

#include "simulate/network/events.h"

namespace pacbench::simulate {

/// The path from one worker to another.
struct Path {
  std::vector<int> directions;  ///< crossed, in order, by their numbers
  double latency_s = 0;         ///< one way, as declared
};

/// How a direction passes on what comes to it.
struct Service {
  double bytes_per_s = 0;  ///< of frames with their headers
  /// The bytes that may pass at once after idleness, of a direction that is shaped by a token
  /// bucket. Such a direction passes on a whole packet as soon as the bucket owes nothing. Without
  /// a bucket a direction is a wire, which takes its time for each byte.
  std::optional<double> bucket_bytes;
};

/// Simulated time, and the directions of links that lead from one worker to another.
class Network {
 public:
  virtual ~Network() = default;

  virtual double now_s() const = 0;

  virtual void after(double seconds, Then then) = 0;

  virtual const Path& path(int from, int to) = 0;

  virtual const Service& service(int direction) = 0;
};

}  // namespace pacbench::simulate
