#pragma once

#include "contract/profile/profile.h"

namespace pacbench::testing {

/// A valid profile of example_scenario()'s workload, with two buckets.
Json example_profile();

/// An entry of a profile's "exchanges": topk with ratio 0.01 among 8 workers.
Json example_exchanges();

/// An entry of "exchanges" for two ranks that exchange weights in every second iteration, by two
/// collectives. The first rank takes part in both, with 640 bytes in all. The second takes part in
/// one, with 40 bytes.
Json example_exchanges_of_ranks();

}  // namespace pacbench::testing
