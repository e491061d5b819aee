#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "harness/machine/interrupt.h"
#include "harness/machine/programs.h"
#include "harness/record/record.h"
#include "harness/store/run_folder.h"

namespace pacbench::cell {

/// The things of a run that one of its cells uses, and the callbacks that report on the cell.
struct RunContext {
  const Programs& programs;
  const Scenario& scenario;
  const Interrupt& interrupt;
  std::string data_folder;
  std::function<void(const netd::CreatedReply&)> on_created;  ///< called when the links are up
  std::function<void(const IterationEvent&)> on_iteration;    ///< of rank 0
  std::function<void(const EvaluationEvent&)> on_evaluation;
};

/// The log of a cell. Adds each line immediately to the cell's record in memory and to its files.
class CellLog {
 public:
  CellLog(record::CellRecord record, store::CellRecorder recorder)
      : record_{std::move(record)}, recorder_{std::move(recorder)} {}

  /// Adds an event of a worker: `line` as it was written, and `event`, the same line parsed.
  /// Returns the event's kind. Throws ProtocolError when it is no event, and RecordingFailed when
  /// the line cannot be written.
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

/// The training of a cell failed; the message says why.
class CellFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Calls `work` for a cell and records how the cell ended. Every exception of `work` becomes the
/// cell's end, except RecordingFailed, which concerns the whole run and is thrown on.
void conclude(CellLog& log, const std::function<void()>& work);

}  // namespace pacbench::cell
