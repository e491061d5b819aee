#pragma once

#include <functional>
#include <vector>

namespace pacbench::simulate {

/// The continuation of an operation; called once, in simulated time.
using Then = std::function<void()>;

/// The way from one worker to another.
struct Path {
  std::vector<int> directions;  ///< crossed, in order, by their numbers
  double latency_s = 0;         ///< one way, as declared
  int standing = -1;  ///< the slowest direction, in whose queue a sender's bytes stand; -1: none
};

/// The queue in front of a direction.
struct Queue {
  double bytes_per_s = 0;
  double most_bytes = 0;          ///< that it holds
  double most_bytes_of_each = 0;  ///< flow of a sender whose own link it is: it waits with the rest
};

/// Simulated time, and a network that carries bytes in it. Flows that cross one direction at the
/// same time share its rate.
class Network {
 public:
  virtual ~Network() = default;

  virtual double now_s() const = 0;

  virtual void after(double seconds, Then then) = 0;

  /// Carries so many bytes (more than 0), headers of frames among them, from one worker to another
  /// one; `then` when the last has left the slowest link. Latency is the caller's.
  virtual void carry(int from, int to, double wire_bytes, Then then) = 0;

  virtual const Path& path(int from, int to) = 0;

  virtual const Queue& queue(int direction) = 0;

  /// Bytes of the flows under way that stand in front of a direction, of each at most so many.
  virtual double standing_bytes(int direction, double most_of_each) = 0;
};

}  // namespace pacbench::simulate
