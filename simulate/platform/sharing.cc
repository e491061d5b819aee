#include "simulate/platform/sharing.h"

namespace pacbench::simulate {

void Senders::remove(int sender) {
  const auto place = flows_.find(sender);
  if (--place->second == 0) flows_.erase(place);
}

simgrid::s4u::NonLinearResourceCb Sharing::policy_of(const std::string& link) {
  auto& senders = senders_[link];
  senders = std::make_unique<Senders>();
  return [factor = factor_, counted = senders.get()](double capacity, int /*flows*/) {
    return counted->count() > 2 ? factor * capacity : capacity;
  };
}

}  // namespace pacbench::simulate
