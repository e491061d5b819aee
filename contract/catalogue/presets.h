#pragma once

#include "base/json_reader.h"
#include "contract/catalogue/catalogue.h"

namespace pacbench {

/// The scenario with the options of each method's "preset" written out. Options that an entry gives
/// itself win, and one that has no effect beside them is left out. What is no preset stays as it
/// is, for the reader to complain of.
Json with_presets(Json scenario, const Catalogue& catalogue);

}  // namespace pacbench
