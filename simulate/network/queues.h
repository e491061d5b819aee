#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "simulate/network/network.h"

namespace pacbench::simulate {

/// The queues in front of all directions. Each direction sends at its rate, first come, first
/// served. A queue has room for everything, so nothing is lost. The only queue that can hold a
/// sender back is that of its own link.
///
/// A fluid model, in which all flows over a direction share its rate at once, was tried before. It
/// cannot say in which order short messages arrive (docs/fidelity/simulated.md).
class Queues {
 public:
  /// `mtu` gives the length of a frame. A direction can begin to pass a packet on when the packet's
  /// first frame has come.
  Queues(Network& network, int mtu);

  /// Puts a packet of `wire_bytes`, which may be several frames long, into the queue of the first
  /// direction of `path`. Calls `arrived`, unless it is null, when the packet's last byte has
  /// crossed all directions and the path's latency has passed. Returns the time at which the last
  /// byte leaves the first queue.
  double pass(const Path& path, double wire_bytes, Then arrived);

 private:
  struct Packet {
    const Path* path;
    double bytes;
    Then arrived;
  };
  struct Direction {
    double s_per_byte = 0;  ///< 0: not asked for yet
    double bucket_s = -1;   ///< the time in which the bucket fills; -1: a wire
    /// The time at which a wire has sent all that came to it, or a bucket owes nothing any more.
    double free_at_s = 0;
  };
  /// The times at which a packet's first frame and its last byte have left a direction.
  struct Leaving {
    double first_frame_s;
    double last_byte_s;
  };

  Direction& direction_at(int number);
  Leaving serve(Direction& direction, double bytes, double last_byte_s) const;
  double enter(std::size_t hop, double last_byte_s, Packet packet);

  Network& network_;
  double frame_bytes_;
  std::vector<Direction> directions_;  ///< by number
};

/// The CPU cores on which hosts do their work for the messages that have arrived.
class Cores {
 public:
  /// All workers share `count` cores, first come, first served. With 0, no work waits for a core.
  Cores(Network& network, int count) : network_{network} {
    for (int core = 0; core < count; ++core) free_at_s_.push(0);
  }

  /// Calls `then` after `seconds` of work on one core.
  void work(double seconds, Then then);

 private:
  Network& network_;
  /// The times at which the cores become free, the earliest on top.
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at_s_;
};

}  // namespace pacbench::simulate
