#pragma once

#include "analysis/compare/side.h"

namespace pacbench::compare {

/// Throws ConfigError, naming every contradiction in the run's files. The result must have the
/// manifest's scenario, and each cell the accuracies and targets that follow from its curve.
/// `pacbench verify` checks more, but needs all recorded lines.
void require_unedited(const ComparedRun& run);

}  // namespace pacbench::compare
