#include "analysis/export/exported_run.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/store/files.h"
#include "harness/store/read_result.h"

namespace pacbench::exports {

std::string ExportedRun::cell_folder(const CellResult& cell) const {
  return store::cell_folder_of(folder, cell.name());
}

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

void require_timed(const ExportedRun& run, const char* why) {
  if (has_network(run.result)) return;
  throw ConfigError{
      run.folder + "/result.json",
      {{"/mode",
        fmt::format("found \"learn\", which times nothing; expected a mode with times such as "
                    "\"emulate\", since {}; or export bmf, github-action or perfetto",
                    why)}}};
}

}  // namespace pacbench::exports
