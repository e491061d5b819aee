#pragma once

#include <cstdint>

#include "base/json/json_reader.h"
#include "contract/worker/worker_event.h"

namespace pacbench {

/// The lines that a training program of the user's own may write, one JSON object a line. It writes
/// them to the FIFO that PACBENCH_EVENTS names (docs/OWN_PROGRAM.md). It may also
/// write "evaluation" (worker_event.h) and "alive".

/// "began": a rank's training clock starts with its next step.
struct BeganEvent {
  int rank = 0;
};

/// "step": a rank has ended an iteration.
struct StepEvent {
  int rank = 0;
  std::int64_t iteration = 0;  ///< from 1
  Span step;
  double training_s = 0;  ///< training clock of this rank at the end of the step
};

/// "exited": from the harness, when the program of a rank has ended.
struct RankExitedEvent {
  int rank = 0;
  int code = 0;
  int signal = 0;     ///< the signal that ended the program; 0: none did
  double wall_s = 0;  ///< since all ranks had been started
};

Json to_json(const RankExitedEvent& event);

/// Each function throws nlohmann::json::exception when the document is not its event.
BeganEvent began_event_from_json(const Json& node);
StepEvent step_event_from_json(const Json& node);
RankExitedEvent rank_exited_event_from_json(const Json& node);

}  // namespace pacbench
