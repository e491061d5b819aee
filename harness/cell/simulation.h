#pragma once

#include "contract/worker/simulation_spec.h"
#include "harness/cell/log.h"
#include "harness/cell/run_context.h"
#include "harness/plan/plan.h"

namespace pacbench::cell {

/// The task of pacbench-simulate for a cell of mode simulate. Throws std::invalid_argument when the
/// scenario's compose.profile has no exchanges of the method over the cell's link.
SimulationSpec simulation_spec(const Scenario& scenario, const plan::Cell& cell);

/// Runs a cell of mode simulate: one program that reports for all ranks, in simulated time.
/// Call it inside conclude() (log.h), which records how the cell ended.
void simulate(const RunContext& context, const plan::Cell& cell, CellLog& log);

}  // namespace pacbench::cell
