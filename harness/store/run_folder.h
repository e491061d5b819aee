#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/files.h"
#include "contract/result/result.h"
#include "contract/worker/event_kind.h"
#include "harness/plan/plan.h"
#include "harness/store/manifest.h"

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

/// The results folder of one run, locked against a second pacbench while this lives. create() and
/// open() throw ConfigError when another pacbench has locked the folder or it cannot be written.
class RunFolder {
 public:
  /// Makes the folder. Also throws ConfigError when it exists and is not empty, or cannot be made.
  static RunFolder create(const std::string& path);
  /// Opens an existing folder. Also throws ConfigError when it holds no manifest.
  static RunFolder open(const std::string& path);

  const std::string& path() const { return path_; }

  void write_manifest(const Manifest& manifest) const;

  /// The result in a cell's cell.json; nothing when there is no such file. Throws ConfigError when
  /// the file was changed.
  std::optional<CellResult> recorded(const plan::Cell& cell) const;

  /// Lists the changes to the files of a cell that has ended, given its folder.
  using Changes = std::function<std::vector<Issue>(const std::string& cell_folder)>;

  /// Throws ConfigError, naming every change, when the manifest, or a file of one of `cells` that
  /// has ended, was changed after it was written.
  void require_unchanged(const std::vector<plan::Cell>& cells, const Changes& changes) const;

  std::string cell_folder(const plan::Cell& cell) const;

  /// Starts a cell, of which no earlier run may have left anything (see delete_cell).
  CellRecorder start(const plan::Cell& cell) const;

  /// Writes the end of a cell so that it survives a crash, see finish_cell().
  void finish(const plan::Cell& cell, const CellResult& result) const;

  /// Rewrites result.json from the recorded cells of the scenario.
  RunResult write_result(const Scenario& scenario) const;

 private:
  explicit RunFolder(std::string path);

  std::string path_;
  UniqueFd lock_;
};

}  // namespace pacbench::store
