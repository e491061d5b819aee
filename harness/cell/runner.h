#pragma once

#include <string>

#include "harness/cell/log.h"
#include "harness/plan/plan.h"

namespace pacbench::cell {

/// Files that the workers of a cell read and write.
struct CellFiles {
  std::string checkpoint;    ///< initial weights; empty: random ones
  std::string state_folder;  ///< mode learn: keeps states for a later resume; empty: none are kept
  std::string resume_state;  ///< mode learn: the state to go on from; empty: none
};

/// Runs one cell to its end, with a user's own program (program.h) or pacbench's workers. All
/// events go into `log`. Modes emulate and compose make a fabric with a worker for each rank. Mode
/// learn starts one worker for all ranks, mode simulate one pacbench-simulate, each as a child of
/// this process. conclude() (log.h) handles whatever this throws.
void run_cell(const RunContext& context, const plan::Cell& cell, const CellFiles& files,
              CellLog& log);

}  // namespace pacbench::cell
