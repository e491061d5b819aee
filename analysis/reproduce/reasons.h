#pragma once

#include <vector>

#include "analysis/reproduce/contrast.h"
#include "analysis/reproduce/evidence.h"

namespace pacbench::reproduce {

/// Every rule of docs/STATISTICS.md ("Why ours is another number") that holds, in its order.
std::vector<Reason> reasons_of(const Contrast& contrast, const Evidence& evidence);

}  // namespace pacbench::reproduce
