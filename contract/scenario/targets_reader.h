#pragma once

#include "contract/scenario/scenario.h"

namespace pacbench {

/// Reads the "targets" of a scenario whose methods and workload have been read. Reports
/// errors through `whole`, the reader of the scenario.
void read_targets(ObjectReader& whole, Scenario& scenario);

}  // namespace pacbench
