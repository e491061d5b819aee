#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "trainer/collectives/store.h"

namespace pacbench::trainer {

/// Lets ranks wait for each other and compare their weights without a byte on the shaped links.
class Control {
 public:
  Control() = default;
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;
  virtual ~Control() = default;

  /// Returns when all ranks have called it. Waits as long as it takes, and calls `still_waiting`
  /// every few seconds, so that whoever watches the ranks knows which rank does not come.
  virtual void barrier(const std::function<void()>& still_waiting) = 0;

  /// Shows this rank's hash of its weights to all ranks.
  virtual void set_hash(std::uint64_t hash) = 0;

  /// The first rank whose hash is not rank 0's; -1 when all agree. Call it after a barrier that
  /// follows set_hash().
  virtual int first_different_hash() = 0;

  /// A number that rank 0 sets for all ranks, such as 1 for "stop here". Ranks read it by word()
  /// after a barrier.
  virtual void set_word(std::uint64_t word) = 0;
  virtual std::uint64_t word() = 0;
};

/// Control for ranks of one host, by a page of memory: a memfd that all ranks share. Before the
/// first rank maps it, it must be empty or hold only zeros. Throws std::system_error.
std::unique_ptr<Control> control_in_memory(int fd, int rank, int ranks);

/// Control for ranks of several hosts, by keys of a store that rank 0 serves on the control
/// network. All members but the destructor throw c10::Error when rank 0's process has ended. The
/// destructor of rank 0 waits up to 10 s until the other ranks have read what they need from its
/// server.
std::unique_ptr<Control> control_in_store(StorePtr store, int rank, int ranks);

}  // namespace pacbench::trainer
