#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/Types.hpp>
#include <utility>
#include <vector>

#include "trainer/collectives/backend.h"
#include "trainer/collectives/store.h"

namespace pacbench::trainer {

/// A rank's place in a group of processes.
struct Membership {
  StorePtr store;  ///< through which the ranks exchange their addresses
  int rank = 0;
  int size = 1;
  std::chrono::milliseconds timeout{60000};  ///< of joining, and of every collective
};

inline c10d::AllreduceOptions all_reduce_options(Reduction reduction) {
  c10d::AllreduceOptions options;
  switch (reduction) {
    case Reduction::kSum:
      options.reduceOp = c10d::ReduceOp::SUM;
      break;
    case Reduction::kMax:
      options.reduceOp = c10d::ReduceOp::MAX;
      break;
    case Reduction::kBitOr:
      options.reduceOp = c10d::ReduceOp::BOR;
      break;
  }
  return options;
}

inline c10d::BroadcastOptions broadcast_options(int root) {
  c10d::BroadcastOptions options;
  options.rootRank = root;
  return options;
}

/// The backend of a rank that is a process. It makes each sub-group at its first use. The members
/// of each meet in the whole group's store, under a prefix of their own.
class ProcessBackend : public Backend {
 public:
  explicit ProcessBackend(Membership own) : own_{std::move(own)} {}

  int rank() const final { return own_.rank; }
  int size() const final { return own_.size; }

  std::shared_ptr<Backend> sub_group(const std::vector<int>& ranks) final {
    auto& group = groups_[ranks];
    if (group) return group;
    const auto prefix = fmt::format("ranks:{}", fmt::join(ranks, ":"));
    const auto place = std::find(ranks.begin(), ranks.end(), rank()) - ranks.begin();
    group = join({c10::make_intrusive<c10d::PrefixStore>(prefix, own_.store),
                  static_cast<int>(place), static_cast<int>(ranks.size()), own_.timeout});
    return group;
  }

 private:
  virtual std::shared_ptr<Backend> join(const Membership& part) = 0;

  Membership own_;
  std::map<std::vector<int>, std::shared_ptr<Backend>> groups_;
};

}  // namespace pacbench::trainer
