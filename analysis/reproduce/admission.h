#pragma once

#include <vector>

#include "analysis/reproduce/contrast.h"
#include "analysis/reproduce/reason.h"

namespace pacbench::reproduce {

/// Why a contrast decides nothing about its claim: it was measured in a setting of which the claim
/// does not speak, by too few seeds, is not whole, its links were not as declared, or its workers
/// overslept for too long in the place of work. Empty when it may decide.
std::vector<Reason> why_not_counted(const Contrast& contrast);

}  // namespace pacbench::reproduce
