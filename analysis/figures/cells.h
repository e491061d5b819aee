#pragma once

#include <string>
#include <vector>

#include "analysis/report/merge.h"

namespace pacbench::figures {

/// A cell that is done, and the folder with its recorded lines.
struct RecordedCell {
  const CellResult* cell = nullptr;
  std::string folder;
};

/// The done cells of one method over one link, in the order of their seeds. They point into
/// `runs`.
std::vector<RecordedCell> recorded_cells(const std::vector<store::NamedResult>& runs,
                                         const std::string& label, const std::string& link);

}  // namespace pacbench::figures
