#pragma once

#include <string>

#include "contract/catalogue/catalogue.h"
#include "harness/plan/plan.h"

namespace pacbench::verify {

/// Returns a cell whose method decides by measured time with the decisions that rank 0 recorded,
/// which replace new ones; any other cell unchanged. Before its first decision the method behaves
/// the same each time, so a cell that ended earlier has no decisions. Throws ConfigError or
/// std::system_error for lines that cannot be read, and ConfigError for decisions that are no
/// numbers.
plan::Cell with_recorded_decisions(plan::Cell cell, const std::string& cell_folder,
                                   const Catalogue& catalogue);

}  // namespace pacbench::verify
