#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "contract/worker/program_event.h"
#include "harness/cell/log.h"
#include "harness/links/fabric.h"
#include "harness/machine/host_sampler.h"
#include "harness/machine/process.h"
#include "harness/machine/process_channel.h"

namespace pacbench::cell {

/// The bytes that all workers had received over their links by `at_ns`. Every byte that crosses the
/// network reaches a worker.
struct Received {
  std::int64_t at_ns = 0;
  double all_bytes = 0;
  double load_bytes = 0;  ///< those of the cell's loads, as of each load's last report
};

Received received_at(std::int64_t at_ns, const netd::CountersReply& counters,
                     const record::NetworkTrace& network);

/// Whether a program surely moved bytes between two times: more were received than loads and others
/// can explain. Where links are the hosts' own interfaces, other programs and the harness send
/// too, at most `others_bytes_per_s` in all. Loads report late
/// and not to the byte, so what their reports may lack is not taken for the program's.
bool has_moved(const Received& before, const Received& now, double others_bytes_per_s);

/// One rank of a program of the user's own. Its channel's lines are events, its channel's
/// errors are what it prints, and its channel's input carries the replies to rank 0.
struct ProgramRank {
  int rank;
  ProcessChannel channel;
  int process = 0;                      ///< its number with the daemon
  std::string last_event = "no event";  ///< in words, for the message about a rank that hangs
  std::string last_output;              ///< the end of what it printed
  std::int64_t heard_bytes = 0;         ///< of events and output
  std::string garbage;                  ///< the first line that was no event
  std::optional<ExitStatus> exited;
  std::int64_t exited_ns = 0;
  std::string end_words;  ///< what OomWatch says of its end; often empty
};

/// Listens to the ranks of a program until all have ended. A program need not write events: output
/// and traffic of its own over the links are signs of life, too.
class ProgramWatch {
 public:
  ProgramWatch(const RunContext& context, links::Fabric& fabric, CellLog& log);

  /// Adds a rank that is about to be started, with the channel to it.
  ProgramRank& add(ProcessChannel channel);

  /// Reads all events and output. Throws CellFailed when a rank ends badly or has written a line
  /// that is no event, when no rank has shown a sign of life for timeout_s, or when time_limit_s is
  /// over. Throws Interrupted on an interrupt. `meanwhile` is called at least ten times a second.
  void run(const std::function<void()>& meanwhile);

 private:
  bool all_ended() const;
  void wait() const;
  void listen(ProgramRank& program);
  void take_line(ProgramRank& program, const std::string& line);
  void take_event(ProgramRank& program, const Json& event, const std::string& line);
  void take_garbage(ProgramRank& program, std::string words);
  void take_output(ProgramRank& program, const std::string& text);
  void note_ends();
  void sample_host();
  void give_up_when_hopeless();
  bool traffic_has_moved();
  std::string cause() const;
  std::string standing_after_abort();

  const RunContext& context_;
  links::Fabric& fabric_;
  CellLog& log_;
  std::deque<ProgramRank> ranks_;
  std::int64_t started_ns_ = 0;
  std::int64_t last_sign_ns_ = 0;   ///< of life, of any rank
  Received last_look_;              ///< at the traffic
  std::int64_t trouble_ns_ = 0;     ///< when a rank ended badly or wrote garbage; 0 while none has
  std::int64_t all_exited_ns_ = 0;  ///< 0 while a rank runs
  bool counted_at_start_ = false;
  HostSampler sampler_;
  OomWatch oom_;
};

}  // namespace pacbench::cell
