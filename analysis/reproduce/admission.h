#pragma once

#include <vector>

#include "analysis/reproduce/contrast.h"
#include "analysis/reproduce/reason.h"

namespace pacbench::reproduce {

/// Returns why a contrast decides nothing about its claim; empty when it may decide. Reasons are a
/// setting that is not the claim's, too few seeds, and other seeds than the baseline's. Others are
/// cells that are missing or failed, and links that were not as declared. The last is that workers,
/// which slept in place of work, overslept for too long.
std::vector<Reason> why_not_counted(const Contrast& contrast);

}  // namespace pacbench::reproduce
