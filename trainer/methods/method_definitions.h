#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "trainer/averaging/feedback.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer {

/// Describes a method in the texts that every method has (MethodInfo).
MethodInfo described(const char* name, const char* family, const char* paper, const char* summary);

/// `averager`, with Feedback around it where the options have error feedback and it is on.
std::unique_ptr<Averager> with_feedback(const Json& options, std::unique_ptr<Averager> averager,
                                        Feedback::Of of = Feedback::Of::kGradients);

/// An averager that exchanges nothing: each rank keeps its own gradients.
class NoExchange final : public Averager {
 public:
  PlannedCalls traffic(const BucketLayout&, const Step&) const override { return {}; }
  Task<> average(Bucket&, Group&) override { co_return; }
};

class WithItsOwnMomentum final : public Method {
 public:
  using Method::Method;
  bool has_own_momentum() const override { return true; }
};

/// Makes a method or an averager. Its constructor takes nothing, the options, or the options and
/// the facts about the run.
template <typename Made>
std::unique_ptr<Made> made([[maybe_unused]] const Json& options,
                           [[maybe_unused]] const RunFacts& run) {
  if constexpr (std::is_default_constructible_v<Made>) {
    return std::make_unique<Made>();
  } else if constexpr (std::is_constructible_v<Made, const Json&, const RunFacts&>) {
    return std::make_unique<Made>(options, run);
  } else {
    return std::make_unique<Made>(options);
  }
}

/// The table entry of a method that averages gradients and leaves the rest to the trainer.
/// with_feedback wraps the averager that `make` returns.
MethodDefinition averaging(MethodInfo info, const MakeAverager& make,
                           Feedback::Of feedback = Feedback::Of::kGradients);

template <typename Made>
MethodDefinition averaging(MethodInfo info, Feedback::Of feedback = Feedback::Of::kGradients) {
  return averaging(std::move(info), made<Made>, feedback);
}

/// As `averaging`, for an averager whose mean contains momentum (Method::has_own_momentum) and
/// which does its own error feedback, if any. No other method can use such a method.
template <typename Made>
MethodDefinition averaging_momentum(MethodInfo info) {
  info.owns_step = true;
  return {std::move(info), [](const Json& options, const RunFacts& run) {
            return std::make_unique<WithItsOwnMomentum>(made<Made>(options, run));
          }};
}

MethodDefinition all_reduce_method();
MethodDefinition fp16_method();
MethodDefinition bf16_method();
MethodDefinition topk_method();
MethodDefinition pactrain_method();
MethodDefinition terngrad_method();
MethodDefinition random_k_method();
MethodDefinition ef_signsgd_method();
MethodDefinition signsgd_method();
MethodDefinition powersgd_method();
MethodDefinition local_sgd_method();
MethodDefinition diloco_method();
MethodDefinition prunex_method();
MethodDefinition dgc_method();
MethodDefinition qsgd_method();
MethodDefinition ef21_method();
MethodDefinition parameter_server_method();
MethodDefinition tree_method();
MethodDefinition hierarchical_method();
MethodDefinition omnireduce_method();
MethodDefinition zen_method();
MethodDefinition spardl_method();
MethodDefinition micro_method();
MethodDefinition exdyna_method();
MethodDefinition adacgd_method();
MethodDefinition thc_method();
MethodDefinition prune_and_regrow_method();
MethodDefinition one_bit_adam_method();
MethodDefinition distributed_lion_method();
MethodDefinition zeroth_order_method();
MethodDefinition embrace_method();
MethodDefinition espresso_method();
MethodDefinition mergecomp_method();

}  // namespace pacbench::trainer
