#pragma once

#include "harness/cell/log.h"
#include "harness/plan/plan.h"

namespace pacbench::cell {

/// Checks before the first cell what would fail each of them: that the program's folder exists and
/// may be entered, and that the first word of each method's command is a program. Ranks run as the
/// caller without capabilities: of root too a folder above may keep them out, such as a home with
/// mode 0700. Throws ConfigError, which names what was found and what to change. Checks nothing
/// where the scenario has no program.
void require_program(const Scenario& scenario);

/// Runs a cell whose ranks are a training program of the user's own (contract/scenario/program.h).
/// Makes a fabric with a control network, over which the ranks find each other (MASTER_ADDR).
/// Starts the program once for each rank in this fabric, with RANK, WORLD_SIZE and the other
/// variables by which torch finds a group, as torchrun sets them.
/// The program's events and output go into `log`. Throws what conclude() accepts.
void run_program(const RunContext& context, const plan::Cell& cell, CellLog& log);

}  // namespace pacbench::cell
