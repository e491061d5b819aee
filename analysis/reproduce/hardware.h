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

/// The GPUs that a manifest names, each name once with its number: "8 × NVIDIA A40". These are all
/// GPUs of the machine, of which the run may use fewer. Empty where none were recorded: the run
/// computed on no GPU or over several hosts, or there is no manifest.
std::string gpu_words(const std::optional<store::Manifest>& manifest);

}  // namespace pacbench::reproduce
