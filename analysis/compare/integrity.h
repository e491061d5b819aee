#pragma once

#include "analysis/compare/side.h"

namespace pacbench::compare {

/// Throws ConfigError, naming all that contradicts, unless the scenario of the result is that of
/// the manifest, and each cell has the accuracies and targets that its curve gives. `pacbench
/// verify` checks more, and needs all lines.
void require_unedited(const ComparedRun& run);

}  // namespace pacbench::compare
