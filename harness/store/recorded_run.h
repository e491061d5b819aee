#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contract/catalogue/catalogue.h"
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

}  // namespace pacbench::store
