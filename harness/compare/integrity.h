#pragma once

#include "harness/compare/side.h"

namespace pacbench::compare {

/// Throws ConfigError, naming all that contradicts, unless the scenario of the result is that of
/// the manifest, its hash is its own, each cell is there once, and what a cell says of its
/// accuracies and targets is what its curve says. `pacbench verify` asks more, and needs all lines.
void require_unedited(const ComparedRun& run, const Json& manifest);

}  // namespace pacbench::compare
