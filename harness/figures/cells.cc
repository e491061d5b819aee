#include "harness/figures/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace pacbench::figures {

std::string run_folder(const report::NamedResult& run) {
  const auto folder = std::filesystem::path{run.path}.parent_path().string();
  return folder.empty() ? "." : folder;
}

std::vector<RecordedCell> recorded_cells(const std::vector<report::NamedResult>& runs,
                                         const std::string& label, const std::string& link) {
  std::vector<RecordedCell> found;
  for (const auto& run : runs) {
    for (const auto& cell : run.result.cells) {
      if (cell.label != label || cell.link != link || cell.status != "done") continue;
      found.push_back({&cell, fmt::format("{}/cells/{}-{}-{}", run_folder(run), cell.label,
                                          cell.link, cell.seed)});
    }
  }
  std::sort(found.begin(), found.end(), [](const RecordedCell& one, const RecordedCell& other) {
    return one.cell->seed < other.cell->seed;
  });
  return found;
}

}  // namespace pacbench::figures
