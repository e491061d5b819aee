#pragma once

#include "spec/profile.h"

namespace pacbench::testing {

/// A valid profile of example_scenario()'s workload, with two buckets.
Json example_profile();

}  // namespace pacbench::testing
