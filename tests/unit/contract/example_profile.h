#pragma once

#include "contract/profile/profile.h"

namespace pacbench::testing {

/// A valid profile of example_scenario()'s workload, with two buckets.
Json example_profile();

/// An entry of its "exchanges": topk with ratio 0.01 among 8 workers.
Json example_exchanges();

/// Of two ranks whose weights go in every second iteration: 640 bytes of the first, who takes part
/// in both collectives, 40 of the other.
Json example_exchanges_of_ranks();

}  // namespace pacbench::testing
