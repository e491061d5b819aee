#pragma once

#include "analysis/compare/side.h"

namespace pacbench::compare {

/// Throws ConfigError when the run's files contradict each other; the error names each
/// contradiction that was found. The result must have the manifest's scenario and that scenario's
/// mode. Each cell with a curve must have the accuracies and targets that follow from this curve.
/// `pacbench verify` checks more, but needs all recorded lines.
void require_unedited(const ComparedRun& run);

}  // namespace pacbench::compare
