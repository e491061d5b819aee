#pragma once

#include <string>

#include "netem/plan/fabric_plan.h"

namespace pacbench::netem {

/// Feeds a batch to its program in the calling thread's namespace. Errors call this namespace
/// `where`.
/// Throws CommandFailed with the line that failed, as one could type it, and the program's own
/// words. Throws std::runtime_error with the package to install when the program is missing.
void run_batch(const Batch& batch, const std::string& where);

}  // namespace pacbench::netem
