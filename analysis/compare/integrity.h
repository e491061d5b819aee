#pragma once

#include "analysis/compare/side.h"

namespace pacbench::compare {

/// Throws ConfigError, naming every contradiction, unless the result has the manifest's scenario
/// and each cell has the accuracies and targets that follow from its curve. `pacbench verify`
/// checks more, and needs all lines.
void require_unedited(const ComparedRun& run);

}  // namespace pacbench::compare
