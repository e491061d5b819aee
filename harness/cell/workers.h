#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "harness/machine/process_channel.h"
#include "harness/record/record.h"

namespace pacbench::cell {

/// One worker of a cell as the harness sees it.
struct WorkerState {
  WorkerState(std::string input, int first, int count)
      : channel{std::move(input)},
        first_rank{first},
        ranks{count},
        of_ranks(static_cast<std::size_t>(count)) {}

  std::string who() const;  ///< "rank 3", or "ranks 0 to 7"
  bool speaks_for(const Json& rank) const;
  bool done() const;
  void note_event(const Json& event, std::int64_t now_ns);
  /// It has ended, and so has what it wrote, or some other process holds its outputs open for too
  /// long after that.
  bool over(std::int64_t now_ns) const;

  struct Rank {
    std::int64_t last_event_ns = 0;  ///< 0: none yet
    bool done = false;
  };
  /// The one that an event is of: the first, where it names none.
  Rank& rank_of(const Json& event);

  ProcessChannel channel;
  int first_rank;
  int ranks;        ///< how many it is, from first_rank on
  int process = 0;  ///< its number with the host that started it
  int pid = 0;      ///< as its parent knows it
  std::int64_t last_event_ns = 0;
  bool heard = false;  ///< has sent an event
  std::vector<Rank> of_ranks;
  std::optional<ExitStatus> exited;
  std::int64_t exited_ns = 0;
  std::string end_words;    ///< what is known of that end beside its status
  std::string failure;      ///< rank and message of its `failed` event
  std::string garbage;      ///< the first line that was no event, and why
  std::string last_errors;  ///< the end of its standard error
};

/// Why a cell has failed, chosen so that it is the cause and not one of its consequences: a
/// worker ended by a signal comes before one that went silently, that before one that talked
/// nonsense and did not say why, and that before the first that reported a failure (the others
/// then fail because their connections break). Absent while nothing is wrong. `first_failure` is
/// that report.
std::optional<std::string> cause_of_failure(const std::vector<WorkerState>& workers,
                                            const std::string& first_failure);

/// Which workers have been silent for longer than they may, in words; absent when none has. A
/// worker of several ranks is heard while any of them says that it waits: so each is looked at
/// alone. A worker has `start_allowance_s` more until its first event. All descend from
/// `ancestor_pid`, or are it.
std::optional<std::string> silence(const std::vector<WorkerState>& workers, std::int64_t now_ns,
                                   double timeout_s, double start_allowance_s, int ancestor_pid);

}  // namespace pacbench::cell
