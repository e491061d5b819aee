#pragma once

#include <c10/core/Device.h>

#include <string>

namespace pacbench {

/// Where a worker computes: "cpu", or "cuda" for the first GPU. torch's library for GPUs is loaded
/// at run time, from beside the one for the CPU. Throws ConfigError when there is no GPU to use.
c10::Device compute_device(const std::string& name);

}  // namespace pacbench
