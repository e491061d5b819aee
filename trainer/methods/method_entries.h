#pragma once

#include "trainer/methods/method.h"

namespace pacbench::trainer {

MethodEntryPoint all_reduce_method();
MethodEntryPoint fp16_method();
MethodEntryPoint bf16_method();
MethodEntryPoint topk_method();
MethodEntryPoint pactrain_method();
MethodEntryPoint terngrad_method();

}  // namespace pacbench::trainer
