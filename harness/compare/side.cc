#include "harness/compare/side.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/cell/curve.h"
#include "harness/compare/integrity.h"

namespace pacbench::compare {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifestFormat = "pacbench.manifest/1";

ConfigError refusal(const std::string& source, const std::string& pointer,
                    const std::string& message) {
  return ConfigError{source, {{pointer, message}}};
}

bool is_run(const std::string& folder) {
  return fs::exists(folder + "/manifest.json") || fs::exists(folder + "/result.json");
}

Json read_manifest(const std::string& path) {
  const auto manifest = read_json_file(path);
  const auto format = manifest.is_object() ? manifest.value("format", Json{}) : Json{};
  if (format == kManifestFormat) return manifest;
  throw refusal(path, "/format",
                fmt::format("found {}, expected \"{}\": compare with the pacbench that wrote it",
                            describe_found(format), kManifestFormat));
}

/// The value at `pointer`, of the type that `like` has.
const Json& value_at(const std::string& path, const Json& manifest, const char* pointer,
                     const Json& like) {
  const Json::json_pointer place{pointer};
  const auto& value = manifest.contains(place) ? manifest.at(place) : Json{};
  if (manifest.contains(place) && value.type() == like.type()) return manifest.at(place);
  throw refusal(
      path, pointer,
      fmt::format("found {}, expected a {}: not a manifest of pacbench",
                  manifest.contains(place) ? describe_found(value) : "nothing", like.type_name()));
}

std::vector<EvaluationEvent> curve_of_done_cell(const std::string& folder) {
  const auto path = folder + "/curve.jsonl";
  if (fs::exists(path)) return cell::read_curve(folder);
  throw refusal(path, "", "missing, though result.json has its cell as done: copy it, too");
}

std::string folder_of(const std::string& run, const CellResult& cell) {
  return fmt::format("{}/cells/{}-{}-{}", run, cell.label, cell.link, cell.seed);
}

/// A run that was broken off has measured its methods under unlike conditions, or not at all.
void require_whole(const ComparedRun& run) {
  std::vector<std::string> finished;
  std::vector<std::string> broken_off;
  for (const auto& cell : run.result.cells) {
    auto& list = cell.status == "interrupted" ? broken_off : finished;
    list.push_back(fs::path{folder_of(run.folder, cell)}.filename().string());
  }
  if (fs::is_directory(run.folder + "/cells")) {
    for (const auto& entry : fs::directory_iterator{run.folder + "/cells"}) {
      const auto name = entry.path().filename().string();
      if (std::find(finished.begin(), finished.end(), name) == finished.end()) {
        broken_off.push_back(name);
      }
    }
  }
  if (broken_off.empty() && !finished.empty()) return;
  if (broken_off.empty()) throw refusal(run.folder + "/result.json", "/cells", "found none");
  throw refusal(run.folder, "",
                fmt::format("a run that was broken off in the cell {}: finish it with `pacbench "
                            "run … --resume` or leave it out",
                            *std::min_element(broken_off.begin(), broken_off.end())));
}

void add_runs(const std::string& folder, std::vector<ComparedRun>& runs) {
  if (!fs::is_directory(folder)) {
    throw refusal(folder, "", "found no such folder, expected a results folder or one of them");
  }
  if (is_run(folder)) return runs.push_back(read_compared_run(folder));
  std::vector<std::string> below;
  for (const auto& entry : fs::directory_iterator{folder}) {
    if (entry.is_directory()) below.push_back(entry.path().string());
  }
  std::sort(below.begin(), below.end());
  if (below.empty()) {
    throw refusal(folder, "",
                  "found no run, expected manifest.json and result.json of `pacbench run`, or "
                  "folders that hold them");
  }
  for (const auto& run : below) runs.push_back(read_compared_run(run));
}

}  // namespace

ComparedRun read_compared_run(const std::string& folder) {
  for (const char* name : {"manifest.json", "result.json"}) {
    if (fs::exists(folder + "/" + name)) continue;
    throw refusal(folder, "",
                  fmt::format("holds no {}: no results folder, or one of a run that was broken off "
                              "before its first cell",
                              name));
  }
  const auto path = folder + "/manifest.json";
  const auto manifest = read_manifest(path);
  ComparedRun run;
  run.folder = folder;
  run.result =
      run_result_from_json(folder + "/result.json", read_json_file(folder + "/result.json"));
  run.cpu = value_at(path, manifest, "/environment/cpu", "");
  run.cores = value_at(path, manifest, "/environment/cores", 0U);
  run.kernel = value_at(path, manifest, "/environment/kernel", "");
  run.torch_version = value_at(path, manifest, "/torch_version", "");
  run.commit = value_at(path, manifest, "/git_commit", "");
  require_whole(run);
  for (const auto& cell : run.result.cells) {
    const bool is_done = cell.status == "done";
    run.curves.push_back(is_done ? curve_of_done_cell(folder_of(folder, cell))
                                 : std::vector<EvaluationEvent>{});
  }
  require_unedited(run, manifest);
  return run;
}

std::vector<ComparedRun> read_side(const std::string& argument) {
  std::vector<ComparedRun> runs;
  if (fs::exists(argument)) {
    add_runs(argument, runs);
    return runs;
  }
  for (std::size_t at = 0; at <= argument.size();) {
    const auto end = std::min(argument.find(',', at), argument.size());
    add_runs(argument.substr(at, end - at), runs);
    at = end + 1;
  }
  return runs;
}

}  // namespace pacbench::compare
