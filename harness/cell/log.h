#pragma once

#include <functional>
#include <string>

#include "harness/cell/record.h"
#include "harness/run/recorder.h"

namespace pacbench::cell {

/// What a cell tells: each line is taken into its record and written to its files at once.
class CellLog {
 public:
  CellLog(CellRecord record, run::CellRecorder recorder)
      : record_{std::move(record)}, recorder_{std::move(recorder)} {}

  /// A line of a worker, parsed and as it came; returns its kind. Throws ProtocolError when it is
  /// no event, and RecordingFailed.
  std::string add(const Json& event, const std::string& line);

  /// An event of the harness's own.
  void add(const Json& event);

  void worker_log(const std::string& who, const std::string& text) {
    recorder_.worker_log(who, text);
  }

  const CellRecord& record() const { return record_; }

 private:
  CellRecord record_;
  run::CellRecorder recorder_;
};

/// Thrown by the work of a cell that has come to an end other than its good one.
struct CellEnded {
  std::string status;  ///< failed or interrupted
  std::string reason;
};

/// Does the work of a cell and records how it ended: whatever goes wrong in it is its result.
/// Throws RecordingFailed alone, which concerns the whole run.
void conclude(CellLog& log, const std::function<void()>& work);

}  // namespace pacbench::cell
