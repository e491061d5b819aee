#include "analysis/export/exported_run.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/store/files.h"
#include "harness/store/read_result.h"

namespace pacbench::exports {

std::string ExportedRun::cell_folder(const CellResult& cell) const {
  return store::cell_folder_of(folder, cell.name());
}

ExportedRun open_exported_run(const std::string& folder, const std::vector<std::string>& cells) {
  if (std::filesystem::exists(folder) && !std::filesystem::is_directory(folder)) {
    throw ConfigError{folder, {{"", "found a file, expected the results folder of a run"}}};
  }
  ExportedRun run{folder, store::read_result(folder).result, store::read_manifest(folder)};
  auto& all = run.result.cells;
  if (all.empty()) {
    throw ConfigError{
        folder + "/result.json",
        {{"/cells",
          "found none, expected at least one; finish the run with pacbench run --resume"}}};
  }
  std::vector<std::string> known;
  for (const auto& cell : all) known.push_back(cell.name());
  std::vector<CellResult> kept;
  for (const auto i : store::chosen_cells(known, cells, folder)) kept.push_back(std::move(all[i]));
  all = std::move(kept);
  return run;
}

void require_timed(const ExportedRun& run, const char* why) {
  if (run.result.mode != Mode::kLearn) return;
  throw ConfigError{
      run.folder + "/result.json",
      {{"/mode",
        fmt::format("found \"learn\", which times nothing; expected a mode with times such as "
                    "\"emulate\", since {}; or export bmf, github-action or perfetto",
                    why)}}};
}

}  // namespace pacbench::exports
