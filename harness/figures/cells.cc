#include "harness/figures/cells.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "harness/report/merge.h"

namespace pacbench::figures {

std::string run_folder(const report::NamedResult& run) {
  const auto folder = std::filesystem::path{run.path}.parent_path().string();
  return folder.empty() ? "." : folder;
}

std::vector<RecordedCell> recorded_cells(const std::vector<report::NamedResult>& runs,
                                         const std::string& label, const std::string& link) {
  std::map<std::int64_t, std::vector<const CellResult*>> of_seed;
  std::map<const CellResult*, std::string> folders;
  for (const auto& run : runs) {
    for (const auto& cell : run.result.cells) {
      if (cell.label != label || cell.link != link || cell.status != "done") continue;
      of_seed[cell.seed].push_back(&cell);
      folders[&cell] =
          fmt::format("{}/cells/{}-{}-{}", run_folder(run), cell.label, cell.link, cell.seed);
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
