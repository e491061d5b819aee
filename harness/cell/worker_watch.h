#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/cell/log.h"
#include "harness/links/slot_host.h"
#include "harness/machine/host_sampler.h"
#include "harness/machine/process.h"
#include "harness/machine/process_channel.h"

namespace pacbench::cell {

/// The seconds beyond timeout_s that a worker may need until its first event, since several
/// processes may load torch at once on few cores.
inline constexpr double kStartAllowanceS = 60;

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
  /// Whether the worker has ended and all its output has been read, or some other process has held
  /// its outputs open for too long after its end.
  bool over(std::int64_t now_ns) const;

  struct Rank {
    std::int64_t last_event_ns = 0;  ///< 0: none yet
    bool done = false;
  };
  /// The rank that an event belongs to; the worker's first rank where the event names none.
  Rank& rank_of(const Json& event);

  ProcessChannel channel;
  int first_rank;
  int ranks;        ///< how many it speaks for, from first_rank on
  int process = 0;  ///< its number at the SlotHost that started it
  int pid = 0;      ///< as its parent knows it
  std::int64_t last_event_ns = 0;
  std::int64_t first_event_ns = 0;  ///< 0: none yet
  std::vector<Rank> of_ranks;
  std::optional<ExitStatus> exited;
  std::int64_t exited_ns = 0;
  std::string end_words;    ///< what OomWatch says of its end; often empty
  std::string failure;      ///< rank and message of its `failed` event
  std::string garbage;      ///< the first line that was no event, or why it was none
  std::string last_errors;  ///< the end of its standard error
};

/// Says what a rank reported of its failure. The rank is named once, also where the message begins
/// with it.
std::string failure_words(const FailedEvent& failed);

/// Says why a cell has failed: the cause and not one of its consequences. A worker that a signal
/// ended is named first, then one that ended early or with an error status and reported nothing. A
/// worker that wrote a line that is no event, and reported no failure, comes next. The first
/// reported failure, `first_failure`, comes last: later ones come from broken connections. Absent
/// while nothing is wrong.
std::optional<std::string> cause_of_failure(const std::vector<WorkerState>& workers,
                                            const std::string& first_failure);

/// Says which workers have been silent for longer than `timeout_s`; absent when none has. A worker
/// has `start_allowance_s` more until its first event. In a worker of several ranks one rank may be
/// silent while others report, so each rank is checked as well. All workers descend from the
/// process `ancestor_pid`, or are that process.
std::optional<std::string> silence(const std::vector<WorkerState>& workers, std::int64_t now_ns,
                                   double timeout_s, double start_allowance_s, int ancestor_pid);

/// Listens to the workers of a cell until all have ended, however they were started.
class WorkerWatch {
 public:
  WorkerWatch(const RunContext& context, CellLog& log) : context_{context}, log_{log} {}

  /// Adds a worker that is about to be started. It reads `input` and speaks for the next `ranks`
  /// ranks.
  WorkerState& add(std::string input, int ranks);

  /// Reads all events. Throws CellFailed when a worker fails, and when one is silent for longer
  /// than timeout_s (kStartAllowanceS more before its first event). Throws Interrupted on an
  /// interrupt.
  /// `meanwhile` is called at least ten times a second, and each time events have been read.
  void run(
      links::SlotHost& host, const std::function<void()>& meanwhile = [] {});

 private:
  bool all_ended() const;
  void wait(const links::SlotHost& host) const;
  void listen();
  void take_or_note(WorkerState& worker, const std::string& line);
  void note_garbage(WorkerState& worker, const std::string& what);
  void take_line(WorkerState& worker, const std::string& line);
  void note_ends(links::SlotHost& host);
  void sample_host();
  void note_trouble();
  void give_up_when_hopeless(links::SlotHost& host);
  std::string places_in_users_code(links::SlotHost& host);

  const RunContext& context_;
  CellLog& log_;
  std::vector<WorkerState> workers_;
  int ranks_ = 0;
  std::string first_failure_;    ///< rank and words of the first reported failure
  std::int64_t trouble_ns_ = 0;  ///< when the first sign of trouble came; 0 before
  HostSampler sampler_;
  OomWatch oom_;
};

}  // namespace pacbench::cell
