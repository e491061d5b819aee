#pragma once

#include <vector>

#include "analysis/reproduce/contrast.h"
#include "analysis/reproduce/reason.h"

namespace pacbench::reproduce {

/// Why a contrast decides nothing about its claim; empty when it may decide. Its setting may be
/// none of the claim's, its seeds too few or other than the baseline's. Cells may be missing or
/// failed, and links may not have been as declared. Workers that slept in place of work may have
/// overslept for too long.
std::vector<Reason> why_not_counted(const Contrast& contrast);

}  // namespace pacbench::reproduce
