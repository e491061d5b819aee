#pragma once

#include "contract/scenario/scenario.h"

namespace pacbench {

/// The catalogue of the fake worker: method "fake" fails as its options say.
Catalogue fake_catalogue();

/// A profile of that catalogue's model with one bucket of `elements`, and no exchanges. Its sample
/// is the file fake.gradients, which holds "sample".
Json fake_profile(std::int64_t elements);

/// A small scenario for that catalogue: two methods, two links, two seeds.
Json fake_scenario_json();
Scenario fake_scenario();

}  // namespace pacbench
