#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "contract/result/result.h"
#include "harness/plan/plan.h"
#include "harness/store/cell_recorder.h"
#include "harness/store/manifest.h"

namespace pacbench::store {

/// The results folder of one run, locked against a second pacbench while this lives. create() and
/// open() throw ConfigError when another pacbench has locked the folder or it cannot be written.
class RunFolder {
 public:
  /// Makes the folder. Also throws ConfigError when it exists and is not empty, or cannot be made.
  static RunFolder create(const std::string& path);
  /// Opens an existing folder. Also throws ConfigError when it holds no manifest.
  static RunFolder open(const std::string& path);

  const std::string& path() const { return path_; }

  Manifest manifest() const;
  void write_manifest(const Manifest& manifest) const;

  /// The result in a cell's cell.json; nothing when there is no such file. Throws ConfigError when
  /// the file was changed.
  std::optional<CellResult> recorded(const plan::Cell& cell) const;

  /// Lists the changes to the files of a cell that has ended, given its folder.
  using Changes = std::function<std::vector<Issue>(const std::string& cell_folder)>;

  /// Throws ConfigError, naming every change, when the manifest, or a file of one of `cells` that
  /// has ended, was changed after it was written.
  void require_unchanged(const std::vector<plan::Cell>& cells, const Changes& changes) const;

  /// The folder of a cell below cells/.
  std::string cell_folder(const plan::Cell& cell) const;

  /// Starts a cell, of which no earlier run may have left anything (see delete_cell).
  CellRecorder start(const plan::Cell& cell) const;
  /// Continues a cell with its existing files.
  CellRecorder go_on(const plan::Cell& cell) const;

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
