#pragma once

#include "contract/scenario/scenario.h"

namespace pacbench::testing {

/// A small catalogue, so that these tests need no worker program. It has options of every type but
/// methods.
Catalogue example_catalogue();

/// A scenario that is valid against example_catalogue(), with six methods.
Json example_scenario();

/// Reads a scenario, whose file is test.json, against example_catalogue().
Scenario read_scenario(const Json& document);

}  // namespace pacbench::testing
