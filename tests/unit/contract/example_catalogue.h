#pragma once

#include "contract/scenario/scenario.h"

namespace pacbench::testing {

/// A small catalogue with every kind of option, so that these tests need no worker program.
Catalogue example_catalogue();

/// A scenario that is valid against it, with six methods.
Json example_scenario();

}  // namespace pacbench::testing
