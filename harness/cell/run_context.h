#pragma once

#include <functional>
#include <string>

#include "contract/fabric/netd_protocol.h"
#include "contract/scenario/scenario.h"
#include "contract/worker/worker_event.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"

namespace pacbench::cell {

/// The things of a run that one of its cells uses, and the callbacks that report on the cell.
struct RunContext {
  const Programs& programs;
  const Scenario& scenario;
  const Interrupt& interrupt;
  std::string data_folder;
  std::function<void(const netd::CreatedReply&)> on_created;  ///< called when the links are up
  std::function<void(const IterationEvent&)> on_iteration;    ///< of rank 0
  std::function<void(const EvaluationEvent&)> on_evaluation;
};

}  // namespace pacbench::cell
