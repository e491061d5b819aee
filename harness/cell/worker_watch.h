#pragma once

#include "harness/cell/log.h"
#include "harness/cell/run_context.h"
#include "harness/cell/workers.h"
#include "harness/links/worker_host.h"
#include "harness/machine/host_sampler.h"
#include "harness/machine/oom_watch.h"

namespace pacbench::cell {

/// The seconds beyond timeout_s that a worker may need until its first event, since several
/// processes may load torch at once on few cores.
inline constexpr double kStartAllowanceS = 60;

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
      links::WorkerHost& host, const std::function<void()>& meanwhile = [] {});

 private:
  bool all_ended() const;
  void wait(const links::WorkerHost& host) const;
  void listen();
  void take_or_note(WorkerState& worker, const std::string& line);
  void note_garbage(WorkerState& worker, const std::string& what);
  void take_line(WorkerState& worker, const std::string& line);
  void take_failure(WorkerState& worker, const FailedEvent& failed);
  void note_ends(links::WorkerHost& host);
  void sample_host();
  void note_trouble();
  void give_up_when_hopeless(links::WorkerHost& host);
  std::string places_in_users_code(links::WorkerHost& host);

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
