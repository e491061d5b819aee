#pragma once

#include <functional>
#include <map>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "trainer/collectives/backend.h"

namespace pacbench::trainer {

/// Groups of some ranks of a group, each made at its first use. The members of each meet in the
/// whole group's store, under a prefix of their own.
class SubGroups {
 public:
  using Store = c10::intrusive_ptr<c10d::Store>;
  using Make = std::function<std::shared_ptr<Backend>(Store store, int rank, int size)>;

  /// The sub-groups of the whole group; `rank` is this rank's number in the whole group.
  SubGroups(Store store, int rank, Make make);

  /// Returns the group of `ranks`, as Backend::sub_group does.
  std::shared_ptr<Backend> of(const std::vector<int>& ranks);

 private:
  Store store_;
  int rank_;
  Make make_;
  std::map<std::vector<int>, std::shared_ptr<Backend>> groups_;
};

}  // namespace pacbench::trainer
