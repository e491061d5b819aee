#pragma once

#include <vector>

#include "base/errors.h"
#include "contract/catalogue/catalogue.h"
#include "contract/scenario/scenario.h"

namespace pacbench {

/// Complains of methods that decide by measured time, where the run cannot use such decisions. Mode
/// learn, and a tuning, which trains in mode learn, measure no exchange. Mode compose takes its
/// curve from another run, which decided by the times that it measured itself. Mode simulate
/// repeats what a profile recorded.
void check_decisions(const Scenario& scenario, const Catalogue& catalogue,
                     std::vector<Issue>& issues);

}  // namespace pacbench
