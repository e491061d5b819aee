#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace pacbench::trainer {

/// A page of memory that all ranks of a host share: how they wait for each other and compare
/// their weights without a byte on the shaped links.
class ControlPage {
 public:
  static constexpr int kMaxRanks = 256;

  /// Maps a memfd of all ranks, empty or zeroed. Throws std::system_error.
  ControlPage(int fd, int rank, int ranks);
  ControlPage(const ControlPage&) = delete;
  ControlPage& operator=(const ControlPage&) = delete;
  ~ControlPage();

  /// Returns when all ranks are here. Waits as long as it takes, and calls `still_waiting` every
  /// few seconds: who watches the ranks knows which one does not come.
  void barrier(const std::function<void()>& still_waiting);

  /// Puts this rank's hash of its weights on the page; read it after a barrier.
  void set_hash(std::uint64_t hash);

  /// The first rank whose hash is not rank 0's; -1 when all agree.
  int first_different_hash() const;

  /// One word from rank 0 to all, such as "stop here"; read it after a barrier.
  void set_word(std::uint64_t word);
  std::uint64_t word() const;

 private:
  struct Page {
    std::atomic<std::uint32_t> arrived;
    std::atomic<std::uint32_t> generation;
    std::atomic<std::uint64_t> word;
    std::atomic<std::uint64_t> hashes[kMaxRanks];
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  Page* page_;
  int rank_;
  int ranks_;
};

}  // namespace pacbench::trainer
