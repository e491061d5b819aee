#pragma once

#include <vector>

#include "analysis/reproduce/contrast.h"
#include "analysis/reproduce/evidence.h"

namespace pacbench::reproduce {

/// Every rule of docs/STATISTICS.md ("Why ours is another number") that holds, in the order of the
/// table there.
std::vector<Reason> reasons_of(const Contrast& contrast, const Evidence& evidence);

}  // namespace pacbench::reproduce
