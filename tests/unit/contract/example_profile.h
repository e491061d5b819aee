#pragma once

#include "contract/profile/profile.h"

namespace pacbench::testing {

/// A valid profile of example_scenario()'s workload, with two buckets.
Json example_profile();

/// An entry of its "exchanges": topk with ratio 0.01 among 8 workers.
Json example_exchanges();

}  // namespace pacbench::testing
