#include "simulate/ranks/groups.h"

#include <algorithm>
#include <numeric>

namespace pacbench::simulate {

ProcessGroup* Groups::of(const std::vector<int>& ranks) {
  if (!ranks.empty() && !std::binary_search(ranks.begin(), ranks.end(), worker_)) return nullptr;
  auto& group = groups_[ranks];
  if (!group) {
    auto members = ranks;
    if (members.empty()) {
      members.resize(static_cast<std::size_t>(workers_));
      std::iota(members.begin(), members.end(), 0);
    }
    group =
        std::make_unique<ProcessGroup>(transport_, numbers_.of(ranks), std::move(members), worker_);
  }
  return group.get();
}

}  // namespace pacbench::simulate
