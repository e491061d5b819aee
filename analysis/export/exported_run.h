#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contract/result/result.h"
#include "harness/store/files.h"
#include "harness/store/manifest.h"
#include "harness/store/packed_run.h"

namespace pacbench::exports {

/// A run's folder as exports read it: the results, and the manifest with the programs and machines.
struct ExportedRun {
  std::string folder;
  RunResult result;
  store::Manifest manifest;
  std::shared_ptr<const store::RunPath> source{};  ///< keeps an archive's files unpacked

  std::string name() const { return result.scenario.at("name").get<std::string>(); }
  std::string cell_folder(const CellResult& cell) const {
    return store::cell_folder_of(folder, cell.name());
  }
};

/// Reads result.json and manifest.json of a run's folder or archive. Keeps the cells that `cells`
/// names, or all when it is empty. Throws ConfigError or std::system_error naming the file. For an
/// unknown name the error lists the cells that exist.
ExportedRun open_exported_run(const std::string& folder, const std::vector<std::string>& cells);

}  // namespace pacbench::exports
