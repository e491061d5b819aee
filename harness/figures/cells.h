#pragma once

#include <string>
#include <vector>

#include "harness/report/merge.h"

namespace pacbench::figures {

/// A cell that is done and the folder that its lines lie in.
struct RecordedCell {
  const CellResult* cell = nullptr;
  std::string folder;
};

/// The folder of a run, given the path of its result.json.
std::string run_folder(const report::NamedResult& run);

/// The done cells of one method over one link, in the order of their seeds. They point into
/// `runs`.
std::vector<RecordedCell> recorded_cells(const std::vector<report::NamedResult>& runs,
                                         const std::string& label, const std::string& link);

}  // namespace pacbench::figures
