#pragma once

#include "harness/cell/log.h"
#include "harness/cell/run_context.h"
#include "harness/plan/plan.h"

namespace pacbench::cell {

/// Runs a cell whose ranks are a training program of the user's own (contract/scenario/program.h).
/// Makes a fabric with a control network, over which the ranks find each other (MASTER_ADDR).
/// Starts the program once for each rank in this fabric, with RANK, WORLD_SIZE and the other
/// variables by which torch finds a group, as torchrun sets them.
/// The program's events and output go into `log`. Throws what conclude() accepts.
void run_program(const RunContext& context, const plan::Cell& cell, CellLog& log);

}  // namespace pacbench::cell
