#pragma once

#include <vector>

#include "simulate/network/network.h"

namespace pacbench::simulate {

/// The queues in front of all directions. Each direction sends what comes to it at its rate, first
/// come, first served. A queue has room for everything, so nothing is lost and no sender is held
/// back by a queue but that of its own link.
///
/// A fluid model, in which all flows that cross a direction share its rate at once, was tried
/// before: it cannot say in which order short messages come (docs/fidelity/simulated.md).
class Queues {
 public:
  /// `mtu`: a direction passes on the first frame of a packet before the packet's other frames.
  Queues(Network& network, int mtu);

  /// Puts a packet of `wire_bytes`, which may be several frames long, into the queue of the first
  /// direction of `path`. Calls `arrived`, unless it is null, when its last byte has come through
  /// all directions and has taken the path's latency. Returns the time at which its last byte
  /// leaves the first queue.
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
    /// When a wire has sent all that came, or when the bucket owes nothing.
    double free_at_s = 0;
  };
  /// When a packet leaves a direction.
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

}  // namespace pacbench::simulate
