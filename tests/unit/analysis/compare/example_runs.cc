#include "tests/unit/analysis/compare/example_runs.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/sha256.h"
#include "contract/scenario/scenario.h"
#include "harness/record/cell_result.h"
#include "tests/unit/harness/example_manifest.h"

namespace pacbench::compare {
namespace {

Json scenario() {
  return Json::parse(R"({
    "version": 1, "name": "example", "mode": "emulate", "workers": 4,
    "network": {"topology": "star", "mtu": 1500, "congestion_control": "cubic",
                "rate_accounting": "l2", "links": [{"name": "100Mbps", "rate_mbit": 100}]},
    "workload": {"model": {"name": "mlp"}, "dataset": {"name": "digits"},
                 "batch_per_worker": 32, "max_iterations": 100},
    "methods": [{"name": "all-reduce", "label": "all-reduce"},
                {"name": "terngrad", "label": "ternary"}],
    "targets": {"accuracy": [0.9, 0.999]}, "seeds": [1]})");
}

std::vector<EvaluationEvent> curve_of(const CellResult& cell) {
  std::vector<EvaluationEvent> curve;
  for (int iteration = 0; iteration <= 100; iteration += 10) {
    curve.push_back({iteration, iteration * cell.time_per_iteration_s, 0.5 + 0.0049 * iteration,
                     2.0 / (1 + iteration)});
  }
  return curve;
}

CellResult make_cell(const std::string& label, int number) {
  // Ten different factors from 0.996 on, in no particular order.
  const double factor = 0.996 + 0.0009 * ((number * 7) % 10);
  const bool is_ternary = label == "ternary";
  CellResult cell;
  cell.label = label;
  cell.link = "100Mbps";
  cell.seed = 1;
  cell.iterations = 100;
  cell.time_per_iteration_s = factor * (is_ternary ? 0.05 : 0.2);
  cell.encode_s = factor * (is_ternary ? 0.008 : 0.0005);
  cell.payload_bytes_per_iteration = is_ternary ? 75000 : 1200000;
  cell.collectives_per_iteration = is_ternary ? 6 : 2;
  cell.expected_bytes_per_iteration = is_ternary ? 140000 : 2200000;
  cell.measured_bytes_per_iteration = (1 + 0.0001 * number) * cell.expected_bytes_per_iteration;
  return cell;
}

/// Gives the cell the numbers that follow from its evaluations.
void add_curve(CellResult& cell, const std::vector<EvaluationEvent>& curve) {
  cell.final_accuracy = curve.back().accuracy;
  cell.best_accuracy = curve.back().accuracy;
  for (const double target : {0.9, 0.999}) {
    cell.targets.push_back(record::target_result_of(curve, {kAccuracy, target}, true, false));
  }
}

std::string lines(const std::vector<EvaluationEvent>& curve) {
  std::string text;
  for (const auto& evaluation : curve) text += to_json(evaluation).dump() + '\n';
  return text;
}

}  // namespace

void write_run(const std::string& folder, int number, const Edit& edit) {
  RunResult run;
  run.mode = Mode::kEmulate;
  run.scenario = scenario();
  run.scenario["seeds"] = edit.seeds;
  run.comparison_hash = sha256(compared_part(run.scenario).dump());
  for (const char* label : {"all-reduce", "ternary"}) {
    for (const auto seed : edit.seeds) {
      auto cell = make_cell(label, number);
      cell.seed = seed;
      edit.cell(cell);
      const auto curve = curve_of(cell);
      add_curve(cell, curve);
      run.cells.push_back(cell);
      const auto cell_folder = fmt::format("{}/cells/{}-100Mbps-{}", folder, label, seed);
      std::filesystem::create_directories(cell_folder);
      write_file_atomically(cell_folder + "/curve.jsonl", lines(curve));
    }
  }
  auto manifest = to_json(example_manifest(run.scenario));
  manifest["environment"]["cpu"] = "Example CPU";
  manifest["environment"]["cores"] = 2;
  auto result = to_json(run);
  edit.files(manifest, result);
  write_file_atomically(folder + "/manifest.json", manifest.dump());
  write_file_atomically(folder + "/result.json", result.dump());
}

ExampleSide::ExampleSide(int count, const Edit& edit, int first) {
  for (int i = 0; i < count; ++i) {
    write_run(fmt::format("{}/run{:02}", folder.path(), i), first + i, edit);
  }
}

Edit edit_of(const std::string& label, const std::function<void(CellResult&)>& change) {
  Edit edit;
  edit.cell = [=](CellResult& cell) {
    if (cell.label == label) change(cell);
  };
  return edit;
}

}  // namespace pacbench::compare
