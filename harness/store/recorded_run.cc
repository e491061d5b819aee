#include "harness/store/recorded_run.h"

#include <algorithm>
#include <filesystem>

#include "base/text_file.h"
#include "harness/store/read_result.h"
#include "harness/store/require_types.h"

namespace pacbench::store {
RecordedRun open_run(const std::string& name, const Catalogue& catalogue) {
  RecordedRun run;
  run.source = std::make_shared<const RunPath>(name);
  const auto& folder = run.folder = run.source->folder();
  run.manifest = read_manifest(folder);
  const auto path = run.path("result.json");
  if (!std::filesystem::exists(path)) {
    throw ConfigError{
        folder,
        {{"",
          "holds a manifest.json but no result.json: the run was broken off before its first cell "
          "began, or the file was deleted; pacbench run with --resume writes it"}}};
  }
  run.result = read_json_file(path);
  require_types(path, "", run.result, {{"/cells", &Json::is_array, "an array"}});
  const auto source = run.path("manifest.json");
  const auto& python = run.manifest.python;
  run.scenario = scenario_from_json(
      source, run.manifest.scenario,
      python.is_null() ? catalogue : with_classes(catalogue, catalogue_from_json(source, python)));
  return run;
}

bool keeps_lines(const std::string& folder) {
  const std::filesystem::path cells{folder + "/cells"};
  if (!std::filesystem::is_directory(cells)) return false;
  const std::filesystem::directory_iterator all{cells};
  return std::any_of(begin(all), end(all), [](const auto& cell) {
    return text_exists((cell.path() / "events.jsonl").string());
  });
}

std::vector<plan::Cell> cells_of(const RecordedRun& run, const std::vector<std::string>& names) {
  const auto all = plan::plan(run.scenario);
  std::vector<std::string> known;
  for (const auto& cell : all) known.push_back(cell.folder_name());
  std::vector<plan::Cell> chosen;
  for (const auto index : chosen_cells(known, names, run.folder)) chosen.push_back(all[index]);
  return chosen;
}

}  // namespace pacbench::store
