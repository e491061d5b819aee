#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "simulate/network/network.h"

namespace pacbench::simulate {

/// Flows that share no direction with another flow. Such a flow has the rate of its slowest
/// direction, which no model has to share out. So a timer is enough, and gives SimGrid's result for
/// a fraction of the work. As soon as another flow crosses one of its directions, SimGrid carries
/// the rest of it.
class LoneFlows {
 public:
  /// The part of a flow that is still to be sent.
  struct Rest {
    int from = 0;
    int to = 0;
    double bytes = 0;
    std::vector<int> directions{};
    int standing = -1;  ///< as in the flow's Path
    Then then{};
  };
  using HandOver = std::function<void(Rest)>;

  /// `hand_over` gets what is left of a flow that is alone no longer.
  LoneFlows(Network& network, HandOver hand_over)
      : network_{network}, hand_over_{std::move(hand_over)} {}

  /// Sets the rate of a direction, in bytes a second; called before anything crosses the direction.
  void set_rate(int direction, double bytes_per_s);

  /// Offers a flow that is about to begin. True when it is alone and was taken. Else the lone flows
  /// that it meets were handed over, its directions count as crossed until leave(), and `flow` is
  /// unchanged.
  bool take(Rest& flow);

  /// The bytes left of the lone flow that waits in front of a direction; 0 without such a flow.
  double standing_at(int direction) const;

  /// Reports the end of a flow that was not taken, or was handed over.
  void leave(const std::vector<int>& directions);

 private:
  struct Flow {
    Rest whole;
    double start_s = 0;
    double bytes_per_s = 0;
  };
  struct Direction {
    double bytes_per_s = 0;
    int flows = 0;           ///< that cross the direction, lone or not
    std::int64_t lone = -1;  ///< the number of the lone flow; -1: none
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
