#pragma once

#include <functional>
#include <vector>

namespace pacbench::simulate {

/// The continuation of an operation; called once, in simulated time.
using Then = std::function<void()>;

/// The path from one worker to another.
struct Path {
  std::vector<int> directions;  ///< crossed, in order, by their numbers
  double latency_s = 0;         ///< one way, as declared
  int standing = -1;  ///< the slowest direction, in whose queue a sender's bytes wait; -1: none
};

/// The queue in front of a direction.
struct Queue {
  double bytes_per_s = 0;
  double most_bytes = 0;          ///< that the queue holds
  double most_bytes_of_each = 0;  ///< flow of the link's own sender, which holds back the rest
};

/// Simulated time, and a network that carries bytes in it. Flows that cross one direction at the
/// same time share its rate.
class Network {
 public:
  virtual ~Network() = default;

  virtual double now_s() const = 0;

  virtual void after(double seconds, Then then) = 0;

  /// Carries `wire_bytes` (more than 0), frame headers included, from one worker to another. Calls
  /// `then` when the last byte has left the slowest link; the caller adds latency.
  virtual void carry(int from, int to, double wire_bytes, Then then) = 0;

  virtual const Path& path(int from, int to) = 0;

  virtual const Queue& queue(int direction) = 0;

  /// Bytes of running flows that wait in front of a direction, at most `most_of_each` of each flow.
  virtual double standing_bytes(int direction, double most_of_each) = 0;
};

}  // namespace pacbench::simulate
