#pragma once

#include <atomic>

#include "trainer/rank/control.h"

namespace pacbench::trainer {

/// A page of memory that all ranks of one host share.
class ControlPage : public Control {
 public:
  static constexpr int kMaxRanks = 256;

  /// Maps a memfd that all ranks share. Before the first rank maps it, it must be empty or hold
  /// only zeros. Throws std::system_error.
  ControlPage(int fd, int rank, int ranks);
  ~ControlPage() override;

  void barrier(const std::function<void()>& still_waiting) override;
  void set_hash(std::uint64_t hash) override;
  int first_different_hash() override;
  void set_word(std::uint64_t word) override;
  std::uint64_t word() override;

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
