#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "simulate/network/network.h"

namespace pacbench::simulate {

/// Flows that have each of their directions for themselves. The slowest of these is their rate,
/// which no model has to share out, so that a timer is enough: exactly what SimGrid would say, for
/// a fraction of its work. As soon as another flow comes into the way of one, the rest of it is
/// SimGrid's.
class LoneFlows {
 public:
  /// The part of a flow that is still to be sent.
  struct Rest {
    int from = 0;
    int to = 0;
    double bytes = 0;
    std::vector<int> directions{};
    int standing = -1;  ///< of its path
    Then then{};
  };
  using HandOver = std::function<void(Rest)>;

  /// `hand_over` gets what is left of a flow that is alone no longer.
  LoneFlows(Network& network, HandOver hand_over)
      : network_{network}, hand_over_{std::move(hand_over)} {}

  /// The rate of a direction, in bytes a second; before anything crosses it.
  void set_rate(int direction, double bytes_per_s);

  /// A flow is about to begin. True when it is alone and was taken; else those in its way have been
  /// handed over, its directions count as crossed until leave(), and `flow` is as it was.
  bool take(Rest& flow);

  /// The bytes left of the lone flow that stands in front of a direction; 0 without one.
  double standing_at(int direction) const;

  /// A flow that was not taken, or was handed over, has ended.
  void leave(const std::vector<int>& directions);

 private:
  struct Flow {
    Rest whole;
    double start_s = 0;
    double bytes_per_s = 0;
  };
  struct Direction {
    double bytes_per_s = 0;
    int flows = 0;           ///< that cross it, lone or not
    std::int64_t lone = -1;  ///< the number of the lone one
  };

  static double left(const Flow& flow, double now_s) {
    return flow.whole.bytes - flow.bytes_per_s * (now_s - flow.start_s);
  }
  Direction& at(int direction) { return directions_.at(static_cast<std::size_t>(direction)); }
  void part(std::int64_t number);
  void ended(std::int64_t number);

  Network& network_;
  HandOver hand_over_;
  std::vector<Direction> directions_;
  std::unordered_map<std::int64_t, Flow> flows_;
  std::int64_t next_ = 0;
};

}  // namespace pacbench::simulate
