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

/// One done cell for each seed of a method over a link, in the order of seeds. Where several runs
/// have a seed's cell, report::standing_cell() chooses one. The cells point into `runs`.
std::vector<RecordedCell> recorded_cells(const std::vector<store::NamedResult>& runs,
                                         const std::string& label, const std::string& link);

}  // namespace pacbench::figures
