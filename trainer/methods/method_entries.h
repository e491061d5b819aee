#pragma once

#include "trainer/averaging/feedback.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer {

/// `averager`, with Feedback around it where the options have error feedback and it is on.
std::unique_ptr<Averager> with_feedback(const Json& options, std::unique_ptr<Averager> averager,
                                        Feedback::Of of = Feedback::Of::kGradients);

/// The table entry of a method that averages gradients and leaves the rest to the trainer.
/// with_feedback wraps the averager that `make` returns.
MethodEntryPoint averaging(MethodInfo info,
                           std::unique_ptr<Averager> (*make)(const Json& options,
                                                             const RunFacts& run),
                           Feedback::Of feedback = Feedback::Of::kGradients);

/// As `averaging`, for an averager whose mean contains momentum (Method::has_own_momentum) and
/// which does its own error feedback, if any. No other method can use such a method.
MethodEntryPoint averaging_momentum(MethodInfo info,
                                    std::unique_ptr<Averager> (*make)(const Json& options,
                                                                      const RunFacts& run));

MethodEntryPoint all_reduce_method();
MethodEntryPoint fp16_method();
MethodEntryPoint bf16_method();
MethodEntryPoint topk_method();
MethodEntryPoint pactrain_method();
MethodEntryPoint terngrad_method();
MethodEntryPoint random_k_method();
MethodEntryPoint ef_signsgd_method();
MethodEntryPoint signsgd_method();
MethodEntryPoint powersgd_method();
MethodEntryPoint local_sgd_method();
MethodEntryPoint diloco_method();
MethodEntryPoint prunex_method();
MethodEntryPoint dgc_method();
MethodEntryPoint qsgd_method();
MethodEntryPoint ef21_method();
MethodEntryPoint parameter_server_method();
MethodEntryPoint tree_method();
MethodEntryPoint hierarchical_method();
MethodEntryPoint omnireduce_method();
MethodEntryPoint zen_method();
MethodEntryPoint spardl_method();
MethodEntryPoint micro_method();
MethodEntryPoint exdyna_method();
MethodEntryPoint adacgd_method();
MethodEntryPoint thc_method();
MethodEntryPoint prune_and_regrow_method();
MethodEntryPoint one_bit_adam_method();
MethodEntryPoint distributed_lion_method();
MethodEntryPoint zeroth_order_method();
MethodEntryPoint embrace_method();
MethodEntryPoint espresso_method();
MethodEntryPoint mergecomp_method();

}  // namespace pacbench::trainer
