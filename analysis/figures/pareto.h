#pragma once

#include <vector>

namespace pacbench::figures {

/// One method: how much faster it reaches a target, and how good it is in the end.
struct TradeOff {
  double speed_up = 0;
  double accuracy = 0;
};

/// For each, whether it is on the Pareto front: no other is at least as good in both and better in
/// one.
std::vector<bool> pareto_front(const std::vector<TradeOff>& methods);

}  // namespace pacbench::figures
