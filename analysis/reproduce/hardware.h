#pragma once

#include <optional>
#include <string>

#include "harness/store/manifest.h"
#include "harness/store/read_result.h"

namespace pacbench::reproduce {

/// The manifest.json in the folder of a result; nothing where there is none. Throws ConfigError
/// naming a file that is no manifest.
std::optional<store::Manifest> manifest_beside(const store::NamedResult& run);

/// The machine that a run was made on: "a CPU, 4 cores", or "unknown host" without a manifest.
std::string host_words(const std::optional<store::Manifest>& manifest);

/// The kernel of a run's host: "Linux 6.1", or "unknown kernel" without a manifest.
std::string kernel_words(const std::optional<store::Manifest>& manifest);

/// The GPUs of a run: "8 × NVIDIA A40", each name once; empty when it computed on no GPU.
std::string gpu_words(const std::optional<store::Manifest>& manifest);

}  // namespace pacbench::reproduce
