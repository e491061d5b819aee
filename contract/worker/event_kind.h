#pragma once

#include <array>

#include "base/json/json_reader.h"
#include "base/words.h"

namespace pacbench {

/// The kinds of lines in the files of a run and of its cells: the words of their key "event".
enum class EventKind {
  // From workers, contract/worker/worker_event.h.
  kIteration,
  kEvaluation,
  kReady,
  kAlive,
  kQuality,
  kPruned,
  kDone,
  kFailed,
  // From programs of the user's own, contract/worker/program_event.h. The harness writes kExited.
  kBegan,
  kStep,
  kExited,
  // From the harness, harness/record/record.h.
  kPretrained,
  kTraining,
  kHost,
  kCountersAtStart,
  kCounters,
  kMeter,
  kEnded,
  // From the harness about a network that changes with time, harness/record/network_trace.h.
  kScheduled,
  kStepped,
  kLoad,
  // From the harness about links, in probes.jsonl of the run, harness/record/link_probe.h.
  kProbe,
};

template <>
struct Words<EventKind> {
  static constexpr std::array kAll{
      "iteration", "evaluation", "ready",    "alive",     "quality",
      "pruned",    "done",       "failed",   "began",     "step",
      "exited",    "pretrained", "training", "host",      "counters-at-start",
      "counters",  "meter",      "ended",    "scheduled", "stepped",
      "load",      "probe"};
};

/// The kind of an event. Throws Json::exception when there is no "event", and
/// std::invalid_argument when its kind is unknown.
inline EventKind kind_of(const Json& event) {
  return from_word<EventKind>(event.at("event").get_ref<const std::string&>());
}

}  // namespace pacbench
