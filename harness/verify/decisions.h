#pragma once

#include <string>

#include "contract/catalogue/catalogue.h"
#include "harness/plan/plan.h"

namespace pacbench::verify {

/// A recorded cell whose method decided by measured time, with the decisions that rank 0 recorded
/// in the place of deciding anew; any other cell as it is. Until a decision was taken the method
/// does the same each time, so a cell that ended before has none. Throws ConfigError or
/// std::system_error for lines that cannot be read, and ConfigError for decisions that are no
/// numbers.
plan::Cell with_recorded_decisions(plan::Cell cell, const std::string& cell_folder,
                                   const Catalogue& catalogue);

}  // namespace pacbench::verify
