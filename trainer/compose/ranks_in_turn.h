#pragma once

#include <functional>
#include <future>
#include <memory>
#include <vector>

#include "contract/catalogue/method_exchanges.h"
#include "trainer/collectives/group.h"

namespace pacbench::trainer {

/// The calls of one rank in one exchange: their trace, and for each collective a step with what
/// the trace lacks. The step's work_ms is 0.
struct RecordedExchange {
  BucketTrace trace;
  std::vector<MethodExchanges::Step> calls;
};

/// Ranks of one process that take turns on one thread. Each rank works until it waits for a
/// collective, then the next rank goes on, and no rank waits for a core. So a rank's work from the
/// end of one collective to the next call takes as long as if the rank had the machine to itself.
class RanksInTurn {
 public:
  explicit RanksInTurn(int size);

  int size() const { return static_cast<int>(backends_.size()); }
  /// The group of `rank`, whose collectives are recorded.
  std::shared_ptr<Backend> backend(int rank) const;

  /// Runs `body` on all ranks and returns what each called. Throws what a rank throws, and
  /// std::logic_error when no rank can go on, because a rank leaves out a call for which others
  /// wait, or when all ranks have ended but differ in the number of their calls. Must not be called
  /// again after it has thrown.
  std::vector<RecordedExchange> run(const std::function<Task<>(int rank, Group& group)>& body);

 private:
  class Recording;
  using End = std::shared_ptr<std::promise<void>>;

  void watch(const std::vector<RecordedExchange>& ranks, const End& end);

  std::vector<std::shared_ptr<Recording>> backends_;
  std::vector<Sequencer> sequencers_;
  std::unique_ptr<Executor> executor_;  ///< declared last: its thread ends before what it uses
};

}  // namespace pacbench::trainer
