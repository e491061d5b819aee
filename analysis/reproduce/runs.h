#pragma once

#include <vector>

#include "analysis/reproduce/reproduction.h"

namespace pacbench::reproduce {

/// The identity of each run, from its result and manifest. Throws ConfigError naming a file that is
/// no manifest.
std::vector<RunIdentity> run_identities(const std::vector<store::NamedResult>& runs);

}  // namespace pacbench::reproduce
