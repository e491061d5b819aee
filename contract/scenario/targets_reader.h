#pragma once

#include "contract/scenario/scenario.h"

namespace pacbench {

/// Reads the "targets" of a scenario whose methods and workload are read already.
void read_targets(ObjectReader& whole, Scenario& scenario);

}  // namespace pacbench
