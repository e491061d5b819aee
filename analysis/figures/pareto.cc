#include "analysis/figures/pareto.h"

#include <algorithm>

namespace pacbench::figures {
namespace {

bool dominates(const TradeOff& one, const TradeOff& other) {
  return one.speed_up >= other.speed_up && one.accuracy >= other.accuracy &&
         (one.speed_up > other.speed_up || one.accuracy > other.accuracy);
}

}  // namespace

std::vector<bool> pareto_front(const std::vector<TradeOff>& methods) {
  std::vector<bool> front;
  for (const auto& method : methods) {
    front.push_back(std::none_of(methods.begin(), methods.end(),
                                 [&](const TradeOff& other) { return dominates(other, method); }));
  }
  return front;
}

}  // namespace pacbench::figures
