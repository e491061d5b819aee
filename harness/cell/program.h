#pragma once

#include "harness/cell/log.h"
#include "harness/cell/run_context.h"
#include "harness/plan/plan.h"

namespace pacbench::cell {

/// Runs a cell whose ranks are a training program of the user's own (contract/scenario/program.h).
/// Makes a fabric with a control network and starts the program in it once for each rank, with the
/// environment that torchrun gives. Its events and output go into `log`. Throws what conclude()
/// accepts.
void run_program(const RunContext& context, const plan::Cell& cell, CellLog& log);

}  // namespace pacbench::cell
