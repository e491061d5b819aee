#pragma once

#include "base/json_reader.h"
#include "contract/catalogue/catalogue.h"

namespace pacbench {

/// The scenario with the options of each method's "preset" written out. Options that an entry gives
/// itself win, and one that has no effect beside them is left out. An unknown preset stays as it
/// is: the reader of methods complains of it.
Json with_presets(Json scenario, const Catalogue& catalogue);

}  // namespace pacbench
