#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/catalogue/catalogue.h"
#include "contract/result/result.h"
#include "harness/plan/plan.h"
#include "harness/store/files.h"
#include "harness/store/manifest.h"
#include "harness/store/packed_run.h"

namespace pacbench::store {

/// A run as its folder or its archive holds it, opened for reading alone.
struct RecordedRun {
  std::string folder;
  std::shared_ptr<const RunPath> source{};  ///< keeps an archive's files unpacked
  Manifest manifest;
  Json result;  ///< result.json as the folder holds it
  Scenario scenario;

  std::string path(const std::string& name) const { return folder + "/" + name; }
  std::string cell_folder(const plan::Cell& cell) const {
    return cell_folder_of(folder, cell.folder_name());
  }
};

/// Opens a run, which is named as for RunPath. Throws ConfigError or std::system_error, naming the
/// file, when there is no run or one of a scenario that this catalogue does not know.
RecordedRun open_run(const std::string& name, const Catalogue& catalogue);

/// Whether any cell of the run in this folder has its lines. A run may be kept without them, as
/// manifest.json and result.json alone, which reports read; nothing can be computed from it again.
bool keeps_lines(const std::string& folder);

/// The cells of a run, or those of `names` alone. Throws ConfigError, listing the cells that there
/// are, when one is unknown.
std::vector<plan::Cell> cells_of(const RecordedRun& run, const std::vector<std::string>& names);

/// Whether the files of a run are as they were when they were recorded.
struct ChecksumCheck {
  int cells = 0;                      ///< whose files were checked
  int files = 0;                      ///< listed in their cell.json
  int without = 0;                    ///< cells that an earlier pacbench recorded without checksums
  std::vector<std::string> findings;  ///< file, found, expected
};

/// Checks the files of every cell that has ended against the checksums in its cell.json, and
/// manifest.json, result.json and cell.json against their own. A file that a run does not need to
/// go on may be missing. A cell.json that cannot be read is left to verify_numbers() to report.
ChecksumCheck verify_checksums(const RecordedRun& run, const std::vector<plan::Cell>& cells);

/// A result and the file it came from.
struct NamedResult {
  std::string path;  ///< of result.json, or of the archive that holds it
  RunResult result;
  std::shared_ptr<const RunPath> source{};  ///< null in tests alone

  /// The name of the run: that of its folder or archive, without what ends the latter.
  std::string name() const;
  /// The folder of the run. An archive is unpacked for it.
  std::string folder() const;
  std::string cell_folder(const CellResult& cell) const;
};

/// Reads the result of a run, which is named as for RunPath. Throws ConfigError or
/// std::system_error naming the file, when there is no run or its result is still missing, or when
/// the file has another format version. Also throws when the file contradicts itself, as after an
/// edit by hand: its scenario then does not match its hash or its cells.
NamedResult read_result(const std::string& run);

/// The positions in `known` of the cells that `names` lists, in the order of `known`; all positions
/// when `names` is empty. Throws ConfigError, listing the cells that there are in `folder`, when
/// one is unknown.
std::vector<std::size_t> chosen_cells(const std::vector<std::string>& known,
                                      const std::vector<std::string>& names,
                                      const std::string& folder);

/// How many cells the scenario of a run has.
std::size_t planned_cells(const RunResult& run);

/// A value of a document, and the type that it must have.
struct Typed {
  std::string pointer;
  bool (Json::*is)() const noexcept;
  const char* words;  ///< "a string"
};

/// Throws ConfigError with each value of `document` that is not there or of another type; `prefix`
/// is the place of the document in the file `path`.
void require_types(const std::string& path, const std::string& prefix, const Json& document,
                   const std::vector<Typed>& values);

}  // namespace pacbench::store
