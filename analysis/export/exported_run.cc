#include "analysis/export/exported_run.h"

#include <filesystem>

#include "harness/store/recorded_run.h"

namespace pacbench::exports {

ExportedRun open_exported_run(const std::string& path, const std::vector<std::string>& cells) {
  if (std::filesystem::is_regular_file(path) && !store::is_packed(path)) {
    throw ConfigError{path, {{"", "found a file, expected the results folder of a run"}}};
  }
  const auto named = store::read_result(path);
  const auto folder = named.folder();
  ExportedRun run{folder, named.result, store::read_manifest(folder), named.source};
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

}  // namespace pacbench::exports
