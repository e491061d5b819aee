#pragma once

#include <string>

#include "contract/catalogue/catalogue.h"
#include "harness/plan/plan.h"

namespace pacbench::verify {

/// Gives a cell whose method decides by measured time the decisions that rank 0 recorded, so that
/// the method makes no new ones. Returns any other cell unchanged. A cell that ended before the
/// first decision needs none: until then the method behaves the same each time. Throws ConfigError
/// or std::system_error for lines that cannot be read, and ConfigError for decisions that are no
/// numbers.
plan::Cell with_recorded_decisions(plan::Cell cell, const std::string& cell_folder,
                                   const Catalogue& catalogue);

}  // namespace pacbench::verify
