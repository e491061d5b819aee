#pragma once

#include "contract/scenario/scenario.h"

namespace pacbench {

/// The catalogue of the fake worker: method "fake" fails as its options say.
Catalogue fake_catalogue();

/// A small scenario for it: two methods, two links, two seeds.
Json fake_scenario_json();
Scenario fake_scenario();

}  // namespace pacbench
