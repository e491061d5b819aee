#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "simulate/gloo/algorithms.h"
#include "simulate/gloo/transport.h"

namespace pacbench::simulate {

/// One rank's part of a process group over Gloo: collectives run in the order in which they are
/// started, two at a time. Point-to-point transfers run at once.
class ProcessGroup {
 public:
  /// `ranks`: the workers that are members, ascending; `worker` is one of them.
  ProcessGroup(Transport& transport, int number, std::vector<int> ranks, int worker);

  int size() const { return static_cast<int>(ranks_.size()); }

  /// Called at a collective's end with the payload bytes that it sent for this rank.
  using Ended = std::function<void(std::int64_t sent_bytes)>;

  /// Starts a collective and returns at once. All members must start the same collectives in the
  /// same order. `call` must live until the collective has ended.
  void start(const Call& call, Ended ended);

 private:
  struct Running {
    Operations operations;
    std::int64_t number;
    Ended ended;
    std::int64_t sent_bytes = 0;
    int sent = 0;                  ///< sends that have ended and were not waited for yet
    int received = 0;              ///< receives that have ended and were not waited for yet
    const int* awaited = nullptr;  ///< the count that the collective waits for; null: it runs
  };

  void begin_waiting();
  void go_on(const std::shared_ptr<Running>& running);
  bool carry_out(const Operation& operation, const std::shared_ptr<Running>& running);
  void note(int& count, const std::shared_ptr<Running>& running);

  Transport& transport_;
  int number_;
  std::vector<int> ranks_;
  int worker_;
  Place place_;
  std::int64_t started_ = 0;
  int working_ = 0;
  std::deque<std::shared_ptr<Running>> waiting_;
};

/// A number for each group of workers, the same on all of its members.
using GroupNumbers = std::map<std::vector<int>, int>;

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
