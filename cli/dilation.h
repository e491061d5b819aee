#pragma once

#include "cli/run_command.h"
#include "harness/machine/programs.h"
#include "harness/run/run.h"

namespace pacbench::cli {

/// Returns the time dilation of a run that leaves it open: for this machine's CPUs, or as it was
/// decided when a run that goes on began.
TimeDilation decided_dilation(const RunOptions& options, const Scenario& scenario);

/// Says that a run takes longer than the times that it measures, and about how long at least, where
/// it does.
void tell_dilation(const run::RunRequest& request, const Programs& programs);

}  // namespace pacbench::cli
