#pragma once

#include <vector>

#include "harness/reproduce/contrast.h"
#include "harness/reproduce/evidence.h"

namespace pacbench::reproduce {

/// Every rule of docs/METRICS.md ("Why ours is another number") that holds, in its order.
std::vector<Reason> reasons_of(const Contrast& contrast, const Evidence& evidence);

}  // namespace pacbench::reproduce
