#pragma once

#include <cstdint>
#include <vector>

#include "trainer/collectives/group.h"

namespace pacbench::trainer {

/// Ranks in sites, with collectives on two levels: inside each site, and between leaders, which are
/// the sites' first ranks. A call inside sites is one collective for each site. Every rank makes
/// all of them; outside a rank's own site its call keeps its place in the order of calls and does
/// nothing (Group::sub_group).
class Sites {
 public:
  Sites() = default;
  /// Cuts the ranks, in their order, into `count` parts that are equal, or differ by one rank.
  /// Members of a part, and the leaders, may wait for each other in this constructor, so call it in
  /// Averager::settle. Throws std::invalid_argument, naming `method`, when there are fewer ranks
  /// than sites.
  Sites(const char* method, std::int64_t count, Group& group);

  /// Ranks in the site of the rank that called the constructor.
  std::int64_t own_size() const { return own_size_; }
  std::int64_t count() const { return static_cast<std::int64_t>(sites_.size()); }

  /// Sums `values` over the ranks of each site, in place.
  Task<> sum_inside(at::Tensor values, Group& group) const;
  /// Sums `values` over the leaders, in place, and copies the sum to all ranks of their sites.
  Task<> sum_between(at::Tensor values, Group& group) const;

  /// Each declare_ function adds the collectives of the call that it names, of `bytes` bytes, to
  /// `calls`.
  void declare_sum_inside(std::int64_t bytes, PlannedCalls& calls) const {
    for (const auto& site : sites_) calls.push_back({CollectiveKind::kAllReduce, bytes, 0, site});
  }
  void declare_sum_between(std::int64_t bytes, PlannedCalls& calls) const {
    calls.push_back({CollectiveKind::kAllReduce, bytes, 0, leaders_});
    for (const auto& site : sites_) calls.push_back({CollectiveKind::kBroadcast, bytes, 0, site});
  }

 private:
  std::vector<std::vector<int>> sites_;
  std::vector<int> leaders_;
  std::int64_t own_size_ = 0;
};

}  // namespace pacbench::trainer
