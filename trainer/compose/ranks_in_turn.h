#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "contract/catalogue/method_exchanges.h"
#include "trainer/methods/method.h"

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

  void watch(const std::vector<RecordedExchange>& ranks, const Ending& end);

  std::vector<std::shared_ptr<Recording>> backends_;
  std::vector<Sequencer> sequencers_;
  Executor executor_;  ///< declared last: its thread ends before what it uses
};

/// All that one rank called in an iteration.
struct RecordedIteration {
  std::vector<RecordedExchange> buckets;  ///< none where the method needs no gradients
  RecordedExchange beside;                ///< after all buckets
  RecordedExchange step;                  ///< before the optimiser
  RecordedExchange weights;               ///< after the optimiser
  std::int64_t losses = 0;                ///< forward passes that the method asked for in `step`
};

/// The input of a rank's method in an iteration.
struct IterationInput {
  std::vector<at::Tensor> gradients;            ///< of each bucket, flat; replaced by the means
  std::vector<at::Tensor> parameters;           ///< weights
  std::vector<at::Tensor> parameter_gradients;  ///< of each parameter
};

/// Runs one method for each rank. Exchanges run one after another in the order of a rank's training
/// loop, and in each exchange the ranks take turns.
class MethodsInTurn {
 public:
  /// `methods` has one method for each of `ranks`; begin() must have been called on each method.
  /// Ranks and methods must outlive this object. Calls settle() of each method with `layout`;
  /// throws as RanksInTurn::run does.
  MethodsInTurn(RanksInTurn& ranks, std::vector<Method*> methods, Layout layout, std::int64_t seed);

  /// Runs one iteration of all ranks. Throws as RanksInTurn::run does, and std::runtime_error when
  /// a method makes the optimiser's step itself.
  std::vector<RecordedIteration> iterate(const Step& step, std::vector<IterationInput>& inputs);

 private:
  Method& method(int rank) { return *methods_[static_cast<std::size_t>(rank)]; }
  RandomKey random_of(int rank, const Step& step) const {
    return {.seed = seed_, .rank = rank, .iteration = step.number};
  }

  void exchange_buckets(const Step& step, std::vector<IterationInput>& inputs,
                        std::vector<RecordedIteration>& iterations);
  void step_and_average_weights(const Step& step, std::vector<IterationInput>& inputs,
                                std::vector<RecordedIteration>& iterations);

  RanksInTurn& ranks_;
  std::vector<Method*> methods_;
  Layout layout_;
  std::int64_t seed_;
};

}  // namespace pacbench::trainer
