#pragma once

#include <vector>

#include "trainer/compose/ranks_in_turn.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer {

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
  RandomKey random_of(int rank, const Step& step) const;

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
