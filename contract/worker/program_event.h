#pragma once

#include <cstdint>

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
  static constexpr auto kKind = EventKind::kExited;
  int rank = 0;
  int code = 0;
  int signal = 0;     ///< the signal that ended the program; 0: none did
  double wall_s = 0;  ///< since all ranks had been started
};

template <>
struct JsonFields<BeganEvent> {
  static constexpr std::tuple kAll{required("rank", &BeganEvent::rank)};
};

template <>
struct JsonFields<StepEvent> {
  using T = StepEvent;
  static constexpr std::tuple kAll{required("rank", &T::rank), required("iteration", &T::iteration),
                                   required("step", &T::step),
                                   required("training_s", &T::training_s)};
};

template <>
struct JsonFields<RankExitedEvent> {
  using T = RankExitedEvent;
  static constexpr std::tuple kAll{required("rank", &T::rank), required("code", &T::code),
                                   required("signal", &T::signal), required("wall_s", &T::wall_s)};
};

}  // namespace pacbench
