#pragma once

#include <vector>

#include "base/errors.h"
#include "contract/catalogue/catalogue.h"
#include "contract/scenario/scenario.h"

namespace pacbench {

/// Complains of methods that decide by measured time where no time of theirs is measured. This is
/// so in mode learn and in a tuning, which trains in mode learn. Mode compose takes its curve from
/// another run, with decisions of its own. Mode simulate repeats what a profile recorded.
void check_decisions(const Scenario& scenario, const Catalogue& catalogue,
                     std::vector<Issue>& issues);

}  // namespace pacbench
