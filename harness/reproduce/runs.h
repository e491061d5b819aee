#pragma once

#include <vector>

#include "harness/reproduce/reproduction.h"

namespace pacbench::reproduce {

/// Of each run what its result and manifest say. Throws ConfigError naming a manifest that is none.
std::vector<RunIdentity> run_identities(const std::vector<report::NamedResult>& runs);

}  // namespace pacbench::reproduce
