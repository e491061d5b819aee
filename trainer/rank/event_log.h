#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <variant>

#include "contract/worker/worker_event.h"

namespace pacbench::trainer {

/// Leaves standard output to events alone, and returns the descriptor to which to write them. From
/// now on what libraries print there goes to standard error, as NCCL's lines do with NCCL_DEBUG.
/// Throws std::system_error.
int claim_standard_output();

/// Writes one rank's events as JSON lines. keep() holds events back while the clock runs, so that
/// turning them into text does not slow each step. The next write() or flush() writes them out, and
/// so does a keep() more than two seconds after the last writing. Ranks that are threads of one
/// process may write to the same descriptor: lines stay whole.
class EventLog {
 public:
  explicit EventLog(int fd) : fd_{fd} {}

  template <typename Event>
  void write(const Event& event) {
    flush();
    write_text(to_json(event).dump() + '\n');
  }

  void keep(std::variant<IterationEvent, PrunedEvent> event);
  void flush();

  /// Writes to `fd` what ended a rank, as the last line of all ranks in this process, and ends the
  /// process with exit code 1.
  [[noreturn]] static void end_process(int fd, const FailedEvent& event);

 private:
  void write_text(const std::string& text) const;

  int fd_;
  std::deque<std::variant<IterationEvent, PrunedEvent>> kept_;
  std::int64_t last_flush_ns_ = 0;
};

}  // namespace pacbench::trainer
