#pragma once

#include "harness/compare/gate.h"

namespace pacbench::compare {

/// Whether the learning curves of all cells have the bits of the first base run's: iteration,
/// accuracy and loss of each evaluation. Not asked where CPU model, cores or torch differ.
void check_curve(const std::vector<RecordedCell>& base, const std::vector<RecordedCell>& next,
                 GateCheck& check);

}  // namespace pacbench::compare
