#pragma once

#include <optional>
#include <vector>

#include "simulate/network/events.h"

namespace pacbench::simulate {

/// The path from one worker to another.
struct Path {
  std::vector<int> directions;  ///< numbers of the directions that it crosses, in order
  double latency_s = 0;         ///< one way, as declared
};

/// How a direction passes packets on.
struct Service {
  double bytes_per_s = 0;  ///< counts frames with their headers
  /// For a direction that a token bucket shapes: the bytes that may pass at once after idleness.
  /// Such a direction passes on a whole packet as soon as the bucket owes nothing. Absent for a
  /// wire, where each byte takes 1 / bytes_per_s seconds.
  std::optional<double> bucket_bytes;
};

/// Simulated time, and the directions of links that lead from one worker to another.
class Network {
 public:
  virtual ~Network() = default;

  virtual double now_s() const = 0;

  /// Calls `then` after `seconds` of simulated time.
  virtual void after(double seconds, Then then) = 0;

  virtual const Path& path(int from, int to) = 0;

  virtual const Service& service(int direction) = 0;
};

}  // namespace pacbench::simulate
