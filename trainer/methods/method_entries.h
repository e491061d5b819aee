#pragma once

#include "trainer/methods/feedback.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer {

/// The line of a method that averages gradients and leaves the rest to the trainer. Where its
/// options have error feedback (option::error_feedback), and it is on, Feedback goes around
/// `make`'s averager.
MethodEntryPoint averaging(MethodInfo info,
                           std::unique_ptr<Averager> (*make)(const Json& options,
                                                             const RunFacts& run),
                           Feedback::Of feedback = Feedback::Of::kGradients);

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
MethodEntryPoint dgc_method();
MethodEntryPoint qsgd_method();
MethodEntryPoint ef21_method();

}  // namespace pacbench::trainer
