#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "trainer/collectives/collective.h"

namespace pacbench::trainer {

/// The name of a type in PyTorch ("float32"). For types that are never sent, torch's internal name.
const char* dtype_name(at::ScalarType type);

/// The type or operation that a trace calls `name`. Throw std::invalid_argument for unknown names.
at::ScalarType dtype_named(const std::string& name);
CollectiveKind kind_named(const std::string& name);

}  // namespace pacbench::trainer
