#pragma once

#include <string>

#include "harness/cell/log.h"
#include "harness/cell/run_context.h"
#include "harness/plan/plan.h"

namespace pacbench::cell {

/// Files that the workers of a cell read and write.
struct CellFiles {
  std::string checkpoint;    ///< initial weights; empty: random ones
  std::string state_folder;  ///< learn: where states to go on from are kept
  std::string resume_state;  ///< learn: one of them; empty: from the start
};

/// Runs one cell to its end, a user's own program (program.h) or pacbench's workers, everything
/// that its workers tell going into `log`. In modes emulate and compose that is a fabric and a
/// worker for each rank in it; in mode learn one worker, a child of this process, that is all
/// ranks; in mode simulate pacbench-simulate, likewise. Throws what conclude() takes.
void run_cell(const RunContext& context, const plan::Cell& cell, const CellFiles& files,
              CellLog& log);

}  // namespace pacbench::cell
