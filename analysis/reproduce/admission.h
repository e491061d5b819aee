#pragma once

#include <vector>

#include "analysis/reproduce/contrast.h"
#include "analysis/reproduce/reason.h"

namespace pacbench::reproduce {

/// Why a contrast decides nothing about its claim; empty when it may decide. Its setting is not one
/// of the claim's, its seeds are too few, it is not whole, or its links were not as declared. Or
/// its workers, which slept in place of work, overslept for too long.
std::vector<Reason> why_not_counted(const Contrast& contrast);

}  // namespace pacbench::reproduce
