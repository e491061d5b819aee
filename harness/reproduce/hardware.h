#pragma once

#include <string>

#include "base/json_reader.h"

namespace pacbench::reproduce {

/// What a run's manifest says of where it ran; the manifest may be null.
std::string host_words(const Json& manifest);    ///< "a CPU, 4 cores"; "unknown host"
std::string kernel_words(const Json& manifest);  ///< "Linux 6.1"; "unknown kernel"

/// "8 × NVIDIA A40", each name once; empty of a run that computed on none.
std::string gpu_words(const Json& manifest);

}  // namespace pacbench::reproduce
