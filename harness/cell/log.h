#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "harness/record/record.h"
#include "harness/store/recorder.h"

namespace pacbench::cell {

/// The log of a cell. Each line goes into its record and to its files at once.
class CellLog {
 public:
  CellLog(record::CellRecord record, store::CellRecorder recorder)
      : record_{std::move(record)}, recorder_{std::move(recorder)} {}

  /// Adds a line of a worker, parsed and as it was written; returns its kind. Throws ProtocolError
  /// when it is no event, and RecordingFailed.
  EventKind add(const Json& event, const std::string& line);

  /// Adds an event of the harness's own.
  void add(const Json& event);

  void worker_log(const std::string& who, const std::string& text) {
    recorder_.worker_log(who, text);
  }

  const record::CellRecord& record() const { return record_; }

 private:
  record::CellRecord record_;
  store::CellRecorder recorder_;
};

/// The training of a cell failed; the message is the whole reason.
class CellFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Does the work of a cell and records how it ended: whatever goes wrong in it is its result.
/// Throws RecordingFailed alone, which concerns the whole run.
void conclude(CellLog& log, const std::function<void()>& work);

}  // namespace pacbench::cell
