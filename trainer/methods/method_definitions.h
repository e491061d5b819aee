#pragma once

#include "trainer/averaging/feedback.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer {

/// `averager`, with Feedback around it where the options have error feedback and it is on.
std::unique_ptr<Averager> with_feedback(const Json& options, std::unique_ptr<Averager> averager,
                                        Feedback::Of of = Feedback::Of::kGradients);

/// The table entry of a method that averages gradients and leaves the rest to the trainer.
/// with_feedback wraps the averager that `make` returns.
MethodDefinition averaging(MethodInfo info,
                           std::unique_ptr<Averager> (*make)(const Json& options,
                                                             const RunFacts& run),
                           Feedback::Of feedback = Feedback::Of::kGradients);

/// As `averaging`, for an averager whose mean contains momentum (Method::has_own_momentum) and
/// which does its own error feedback, if any. No other method can use such a method.
MethodDefinition averaging_momentum(MethodInfo info,
                                    std::unique_ptr<Averager> (*make)(const Json& options,
                                                                      const RunFacts& run));

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
