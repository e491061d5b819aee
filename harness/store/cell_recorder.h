#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/files.h"
#include "contract/worker/event_kind.h"

namespace pacbench::store {

/// Lines of a cell or of a probe cannot be written, so no later cell could be recorded either.
class RecordingFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Writes what one cell reports, line by line:
///   iterations.jsonl  "iteration" events of all ranks, "step" events of a user's own program
///   curve.jsonl       "evaluation" events
///   network.jsonl     "scheduled", "stepped", "load": where the network changes with time
///   events.jsonl      all others, and the harness's own: "pretrained", "training", "host",
///                     "counters-at-start", "counters", "meter", "ended"
///   worker.log        up to kLogBytes of each worker's standard error, or of the standard output
///                     and error of each rank of a program
/// RunFolder::finish() adds cell.json, with the CellResult. event() and worker_log() throw
/// RecordingFailed naming the file when it cannot be written, as on a full disk; what was recorded
/// before stays whole.
class CellRecorder {
 public:
  /// The most that one worker may add to worker.log: a worker that prints without end must not fill
  /// the disk.
  static constexpr std::size_t kLogBytes = 4 << 20;

  explicit CellRecorder(std::string folder);

  /// Writes one event, given as the text of its line, into the file for its kind.
  void event(EventKind kind, const std::string& line);
  void worker_log(const std::string& who, const std::string& text);

 private:
  LineFile& file_of(EventKind kind);

  std::string folder_;
  LineFile iterations_;
  LineFile curve_;
  LineFile events_;
  std::optional<LineFile> network_;  ///< made when there is something to write
  LineFile log_;
  std::map<std::string, std::size_t> logged_bytes_;  ///< in worker.log, by who wrote them
};

}  // namespace pacbench::store
