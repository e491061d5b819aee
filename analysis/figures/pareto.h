#pragma once

#include <vector>

namespace pacbench::figures {

/// One method: its speed-up over all-reduce to a target, and its final accuracy.
struct TradeOff {
  double speed_up = 0;
  double accuracy = 0;
};

/// Says for each method whether it is on the Pareto front: no other method is at least as good in
/// both numbers and better in one.
std::vector<bool> pareto_front(const std::vector<TradeOff>& methods);

}  // namespace pacbench::figures
