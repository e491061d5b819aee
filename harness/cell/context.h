#pragma once

#include <functional>
#include <string>

#include "harness/interrupt.h"
#include "harness/programs.h"
#include "spec/netd_protocol.h"
#include "spec/scenario.h"
#include "spec/worker_event.h"

namespace pacbench::cell {

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

}  // namespace pacbench::cell
