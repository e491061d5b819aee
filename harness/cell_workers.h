#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "harness/cell_record.h"
#include "harness/worker_channel.h"

namespace pacbench {

/// One worker of a cell as the harness sees it.
struct WorkerState {
  explicit WorkerState(std::string input) : channel{std::move(input)} {}

  WorkerChannel channel;
  int pid = 0;  ///< as the daemon knows it
  std::int64_t last_event_ns = 0;
  bool heard = false;  ///< has sent an event
  bool done = false;
  std::optional<ExitStatus> exited;
  std::string failure;      ///< the message of its `failed` event
  std::string garbage;      ///< the first line that was no event, and why
  std::string last_errors;  ///< the end of its standard error
};

/// Why a cell has failed, chosen so that it is the cause and not one of its consequences: a
/// worker ended by a signal comes before one that went silently, that before one that talked
/// nonsense, and that before the first that reported a failure (the others then fail because
/// their connections break). Absent while nothing is wrong. `first_failed` is that first rank.
std::optional<std::string> cause_of_failure(const std::vector<WorkerState>& workers,
                                            std::optional<int> first_failed);

/// Which workers have been silent for longer than they may, in words; absent when none has.
/// A worker has `start_allowance_s` more until its first event.
std::optional<std::string> silence(const std::vector<WorkerState>& workers, std::int64_t now_ns,
                                   double timeout_s, double start_allowance_s, int daemon_pid);

}  // namespace pacbench
