#include "simulate/platform/sharing.h"

namespace pacbench::simulate {

void Crossing::add(int sender, int receiver) {
  ++senders_[sender];
  ++receivers_[receiver];
}

void Crossing::remove(int sender, int receiver) {
  if (--senders_.at(sender) == 0) senders_.erase(sender);
  if (--receivers_.at(receiver) == 0) receivers_.erase(receiver);
}

simgrid::s4u::NonLinearResourceCb Sharing::policy_of(const std::string& link) {
  auto& crossing = crossing_[link];
  crossing = std::make_unique<Crossing>();
  return [factor = factor_, flows = crossing.get()](double capacity, int /*count*/) {
    return flows->meet() ? factor * capacity : capacity;
  };
}

}  // namespace pacbench::simulate
