#include <fmt/format.h>

#include <map>

#include "analysis/export/formats.h"
#include "contract/result/result.h"

namespace pacbench::exports {
namespace {

/// A time of one cell.
struct Row {
  std::string name;
  double seconds = 0;
  double compute_s = 0;  ///< the time of forward and backward within `seconds`
  std::int64_t iterations = 0;
};

std::string why_not(const CellResult& cell) {
  if (cell.status != CellStatus::kDone)
    return fmt::format("{}: {}", word_of(cell.status), cell.reason);
  if (cell.link_verdict.word != "ok") return "its link was not as declared (suspect)";
  return "";
}

/// The times of a cell that is done. Without `has_evaluations` there are none to targets.
std::vector<Row> rows_of(const CellResult& cell, const std::string& name, bool has_evaluations,
                         std::vector<std::string>& left_out) {
  std::vector<Row> rows{
      {name + "/time_per_iteration", step_time_s(cell), cell.compute_s, cell.iterations}};
  if (!has_evaluations) return rows;
  for (const auto& target : cell.targets) {
    const auto row = fmt::format("{}/tta_{}", name, short_name(target.target));
    if (target.tta_s && target.iterations) {
      const auto compute_s = static_cast<double>(*target.iterations) * cell.compute_s;
      rows.push_back({row, *target.tta_s, compute_s, *target.iterations});
    } else {
      left_out.push_back(fmt::format("{}: never reached with seed {}", row, cell.seed));
    }
  }
  return rows;
}

Json to_json(const Row& row, const CellResult& cell, const Json& scenario) {
  Json node{{"name", row.name},
            {"run_name", row.name},
            {"run_type", "iteration"},
            {"per_family_instance_index", 0},
            {"threads", scenario.at("workers")},
            {"iterations", row.iterations},
            {"real_time", row.seconds * 1e3},
            {"cpu_time", row.compute_s * 1e3},
            {"time_unit", "ms"},
            {"items_per_second", cell.samples_per_s},
            {"seed", cell.seed},
            {"encode_s", cell.encode_s},
            {"wire_s", cell.wire_s},
            {"exposed_s", cell.exposed_s},
            {"payload_bytes", cell.payload_bytes_per_iteration},
            {"wire_bytes", cell.measured_bytes_per_iteration}};
  if (cell.final_accuracy && may_evaluate(scenario)) node["final_accuracy"] = *cell.final_accuracy;
  if (cell.host_verdict.word != "ok") node["label"] = cell.host_verdict.word;
  return node;
}

/// Numbers families and their repetitions as Google Benchmark does.
void number_repetitions(std::vector<Json>& rows) {
  std::map<std::string, std::pair<std::size_t, int>> families;
  for (auto& row : rows) {
    const auto place = families.try_emplace(row.at("name"), families.size(), 0).first;
    row["family_index"] = place->second.first;
    row["repetition_index"] = place->second.second++;
  }
  for (auto& row : rows) row["repetitions"] = families.at(row.at("name")).second;
}

Json context(const ExportedRun& run) {
  const auto& environment = run.manifest.environment;
  auto date = run.manifest.started_utc;
  if (date.ends_with('Z')) date.replace(date.size() - 1, 1, "+00:00");
  return {{"date", date},
          {"executable", "pacbench"},
          {"num_cpus", environment.cores},
          {"cpu", environment.cpu},
          {"kernel", environment.kernel},
          {"caches", Json::array()},
          {"scenario", run.name()},
          {"comparison_hash", run.result.comparison_hash},
          {"pacbench_version", run.manifest.pacbench_version},
          {"git_commit", run.manifest.git_commit}};
}

}  // namespace

ExportedFile to_google_benchmark(const ExportedRun& run) {
  if (!has_network(run.result)) {
    throw ConfigError{
        run.folder + "/result.json",
        {{"/mode",
          "found \"learn\", which times nothing; expected a mode with times such as \"emulate\", "
          "since Google Benchmark's rows are times; or export bmf, github-action or perfetto"}}};
  }
  std::vector<Json> rows;
  ExportedFile file;
  for (const auto& cell : run.result.cells) {
    if (const auto why = why_not(cell); !why.empty()) {
      file.left_out.push_back(fmt::format("{}: {}", cell.name(), why));
      continue;
    }
    const auto name = fmt::format("{}/{}/{}", run.name(), cell.label, cell.link);
    const auto& scenario = run.result.scenario;
    for (const auto& row : rows_of(cell, name, may_evaluate(scenario), file.left_out)) {
      rows.push_back(to_json(row, cell, scenario));
    }
  }
  number_repetitions(rows);
  file.text = json_text({{"context", context(run)}, {"benchmarks", rows}}, 2) + '\n';
  return file;
}

}  // namespace pacbench::exports
