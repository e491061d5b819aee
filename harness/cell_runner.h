#pragma once

#include <functional>
#include <string>

#include "harness/cell_record.h"
#include "harness/interrupt.h"
#include "harness/plan.h"
#include "harness/programs.h"
#include "harness/recorder.h"

namespace pacbench {

/// What all cells of a run share.
struct CellContext {
  const Programs& programs;
  const Scenario& scenario;
  const Interrupt& interrupt;
  std::string data_folder;
  std::function<void(const netd::CreatedReply&)> on_created;  ///< the links are up
  std::function<void(const IterationEvent&)> on_iteration;    ///< of rank 0
  std::function<void(const EvaluationEvent&)> on_evaluation;
};

/// Runs one cell: links, workers, and everything they tell into `recorder`. Writing its cell.json
/// is left to the caller, who knows what came before the cell.
/// What goes wrong in the cell is its result, with the reason; only what concerns the whole run
/// is thrown: std::system_error when nothing can be recorded.
CellResult run_cell(const CellContext& context, const Cell& cell, const std::string& checkpoint,
                    CellRecorder& recorder);

}  // namespace pacbench
