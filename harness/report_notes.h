#pragma once

#include <string>
#include <vector>

#include "harness/report.h"

namespace pacbench {

/// What a reader must know of one method over one link: cells that are not done, and why; verdicts
/// with their reasons; what pruning left, and took where that was `timed`.
std::vector<std::string> row_notes(const std::vector<const CellResult*>& cells, bool timed);

/// What a reader must know of the run: its mode, work done before the clock, how to read it.
std::vector<std::string> run_notes(const Report& report);

}  // namespace pacbench
