#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "trainer/collectives/collective.h"

namespace pacbench::trainer {

/// The name of a type as NumPy and PyTorch's users call it; torch's own of one that nothing sends.
const char* dtype_name(at::ScalarType type);

/// The types and operations of these names in traces. Throw std::invalid_argument.
at::ScalarType dtype_named(const std::string& name);
CollectiveKind kind_named(const std::string& name);

}  // namespace pacbench::trainer
