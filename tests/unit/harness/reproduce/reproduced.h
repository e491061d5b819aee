#pragma once

#include "harness/reproduce/reproduction.h"
#include "tests/unit/harness/reproduce/paper_run.h"

namespace pacbench::reproduce {

/// With the methods of example_catalogue().
Reproduction reproduced(const std::vector<report::NamedResult>& runs);

}  // namespace pacbench::reproduce
