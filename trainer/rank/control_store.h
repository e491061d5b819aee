#pragma once

#include "trainer/collectives/store.h"
#include "trainer/rank/control.h"

namespace pacbench::trainer {

/// Control for ranks of several hosts, by keys of a store that rank 0 serves on the control
/// network. All members but constructor and destructor throw c10::Error when rank 0's process has
/// ended.
class ControlStore : public Control {
 public:
  ControlStore(StorePtr store, int rank, int ranks);
  /// Rank 0 waits up to 10 s until the other ranks have read what they need from its server.
  ~ControlStore() override;

  void barrier(const std::function<void()>& still_waiting) override;
  void set_hash(std::uint64_t hash) override;
  int first_different_hash() override;
  void set_word(std::uint64_t word) override;
  std::uint64_t word() override;

 private:
  StorePtr store_;
  int rank_;
  int ranks_;
  std::uint64_t generation_ = 0;  ///< barriers that this rank has come to
};

}  // namespace pacbench::trainer
