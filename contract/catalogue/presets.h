#pragma once

#include "base/json/json_reader.h"
#include "contract/catalogue/catalogue.h"

namespace pacbench {

/// Returns the scenario with the options of each method's "preset" written out. An option that the
/// entry gives itself takes precedence. A preset's option is left out when it has no effect
/// with the other options. An unknown preset stays as it is: the reader of methods complains of it.
Json with_presets(Json scenario, const Catalogue& catalogue);

}  // namespace pacbench
