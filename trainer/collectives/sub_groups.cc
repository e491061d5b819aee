#include "trainer/collectives/sub_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

namespace pacbench::trainer {

SubGroups::SubGroups(Store store, int rank, Make make)
    : store_{std::move(store)}, rank_{rank}, make_{std::move(make)} {}

std::shared_ptr<Backend> SubGroups::of(const std::vector<int>& ranks) {
  auto& group = groups_[ranks];
  if (group) return group;
  const auto prefix = fmt::format("ranks:{}", fmt::join(ranks, ":"));
  const auto place = std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin();
  group = make_(c10::make_intrusive<c10d::PrefixStore>(prefix, store_), static_cast<int>(place),
                static_cast<int>(ranks.size()));
  return group;
}

}  // namespace pacbench::trainer
