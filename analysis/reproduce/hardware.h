#pragma once

#include <optional>
#include <string>

#include "harness/store/manifest.h"
#include "harness/store/read_result.h"

namespace pacbench::reproduce {

/// The manifest beside a result, if it exists. Throws ConfigError naming a file that is no
/// manifest.
std::optional<store::Manifest> manifest_beside(const store::NamedResult& run);

/// The machine that a run was made on: "a CPU, 4 cores", or "unknown host" without a manifest.
std::string host_words(const std::optional<store::Manifest>& manifest);

/// "Linux 6.1", or "unknown kernel" without a manifest.
std::string kernel_words(const std::optional<store::Manifest>& manifest);

/// "8 × NVIDIA A40", each name once; empty when the run computed on no GPU.
std::string gpu_words(const std::optional<store::Manifest>& manifest);

}  // namespace pacbench::reproduce
