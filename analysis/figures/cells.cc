#include "analysis/figures/cells.h"

#include <map>

#include "analysis/report/merge.h"

namespace pacbench::figures {

std::vector<RecordedCell> recorded_cells(const std::vector<store::NamedResult>& runs,
                                         const std::string& label, const std::string& link) {
  std::map<std::int64_t, std::vector<const CellResult*>> of_seed;
  std::map<const CellResult*, std::string> folders;
  for (const auto& run : runs) {
    for (const auto& cell : run.result.cells) {
      if (cell.label != label || cell.link != link || cell.status != CellStatus::kDone) continue;
      of_seed[cell.seed].push_back(&cell);
      folders[&cell] = run.cell_folder(cell);
    }
  }
  std::vector<RecordedCell> found;
  for (const auto& [seed, repeats] : of_seed) {
    const auto& cell = report::standing_cell(repeats);
    found.push_back({&cell, folders.at(&cell)});
  }
  return found;
}

}  // namespace pacbench::figures
