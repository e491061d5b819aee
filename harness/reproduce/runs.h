#pragma once

#include <vector>

#include "harness/reproduce/reproduction.h"

namespace pacbench {

/// Of each run what its result and manifest say. Throws ConfigError naming a manifest that is none.
std::vector<RunIdentity> run_identities(const std::vector<NamedResult>& runs);

}  // namespace pacbench
