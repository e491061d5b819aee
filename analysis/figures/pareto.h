#pragma once

#include <vector>

namespace pacbench::figures {

/// One method: how much faster it reaches a target, and how good it is in the end.
struct TradeOff {
  double speed_up = 0;
  double accuracy = 0;
};

/// Says for each method whether it is on the Pareto front: no other method is at least as good in
/// both numbers and better in one.
std::vector<bool> pareto_front(const std::vector<TradeOff>& methods);

}  // namespace pacbench::figures
