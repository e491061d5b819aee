#pragma once

#include <vector>

#include "analysis/reproduce/contrast.h"
#include "analysis/reproduce/reason.h"

namespace pacbench::reproduce {

/// Returns why a contrast decides nothing about its claim; empty when it may decide. Reasons are a
/// setting, a start or a length of training unlike the claim's, no learning curve, and no target
/// near the final accuracy. Others are too few seeds, other seeds than the baseline's, cells that
/// are missing or failed, and links that were not as declared. The last is that workers, which
/// slept in place of work, overslept for too long.
std::vector<Reason> why_not_counted(const Contrast& contrast);

}  // namespace pacbench::reproduce
