#pragma once

#include <map>
#include <memory>
#include <vector>

#include "simulate/gloo/process_group.h"

namespace pacbench::simulate {

/// A number for each group of workers, the same on all of its members.
class GroupNumbers {
 public:
  int of(const std::vector<int>& ranks) {
    return numbers_.try_emplace(ranks, static_cast<int>(numbers_.size())).first->second;
  }

 private:
  std::map<std::vector<int>, int> numbers_;
};

/// The process groups of one worker: an object for each group that this worker is a member of.
class Groups {
 public:
  Groups(Transport& transport, GroupNumbers& numbers, int worker, int workers)
      : transport_{transport}, numbers_{numbers}, worker_{worker}, workers_{workers} {}

  /// The group of the workers in `ranks`, which ascend (empty: all workers). Null when this worker
  /// is no member.
  ProcessGroup* of(const std::vector<int>& ranks);

 private:
  Transport& transport_;
  GroupNumbers& numbers_;
  int worker_;
  int workers_;
  std::map<std::vector<int>, std::unique_ptr<ProcessGroup>> groups_;
};

}  // namespace pacbench::simulate
