#pragma once

#include <string>

#include "harness/reproduce/contrast.h"

namespace pacbench::reproduce {

/// Why a contrast decides nothing about its claim: it was measured in another setting than the
/// paper's, is not whole, its links were not as declared, or its workers overslept for too long in
/// the place of work. Empty when it may decide.
std::string why_not_counted(const Contrast& contrast);

}  // namespace pacbench::reproduce
