#include "tests/unit/analysis/report/example_run.h"

#include <stdexcept>

#include "base/sha256.h"
#include "contract/scenario/scenario.h"

namespace pacbench::report {
namespace {

struct Method {
  const char* label;
  double step_s;
  double megabytes;
  std::vector<std::optional<std::int64_t>> iterations;  ///< to 90, 95 and 97 %
  double accuracy;
};

const std::optional<std::int64_t> kNever;

std::vector<Method> methods() {
  return {{"all-reduce", 0.210, 2.39, {24, 45, 84}, 0.9755},
          {"fp16", 0.118, 1.20, {24, 45, 87}, 0.9744},
          {"topk-0.1", 0.161, 1.91, {27, 54, 99}, 0.9733},
          {"topk-0.01", 0.042, 0.19, {51, 108, kNever}, 0.9622},
          {"pactrain-0.5", 0.116, 1.21, {24, 48, 90}, 0.9744},
          {"pactrain-0.5-ternary", 0.055, 0.31, {30, 60, 120}, 0.9711}};
}

CellResult make_cell(const Method& method, std::int64_t seed) {
  CellResult cell;
  cell.label = method.label;
  cell.link = "100Mbps";
  cell.seed = seed;
  cell.iterations = 150;
  // Each seed is 5 % slower than the previous seed.
  cell.time_per_iteration_s = method.step_s * (1 + 0.05 * static_cast<double>(seed - 1));
  cell.training_s = 150 * cell.time_per_iteration_s;
  cell.samples_per_s = 256 / cell.time_per_iteration_s;
  const double accuracies[] = {0.90, 0.95, 0.97};
  for (std::size_t i = 0; i < 3; ++i) {
    TargetResult target{{kAccuracy, accuracies[i]}, {}, {}};
    if (method.iterations[i]) {
      target.iterations = *method.iterations[i];
      target.tta_s = static_cast<double>(*target.iterations) * cell.time_per_iteration_s;
    }
    cell.targets.push_back(target);
  }
  cell.final_accuracy = method.accuracy;
  cell.best_accuracy = method.accuracy + 0.0011;
  cell.expected_bytes_per_iteration = method.megabytes * 1e6;
  cell.measured_bytes_per_iteration = method.megabytes * 1.004e6;
  cell.received_bytes_per_iteration = method.megabytes * 1.004e6;
  cell.payload_bytes_per_iteration = method.megabytes * 0.55e6;
  cell.compute_s = 0.011;
  cell.exposed_s = cell.time_per_iteration_s - 0.013;
  cell.encode_s = 0.0021;
  cell.wire_s = cell.exposed_s + 0.002;
  cell.wire_mbit = cell.measured_bytes_per_iteration * 8e-6 / cell.wire_s;
  cell.pretrain_s = 2.31;
  if (cell.label.starts_with("pactrain")) {
    cell.pruning_s = 0.214;
    cell.kept_fraction = 0.5;
  }
  return cell;
}

Json scenario() {
  auto scenario = Json::parse(R"({
    "version": 1, "name": "wan100", "mode": "emulate", "workers": 8,
    "network": {"topology": "star", "mtu": 1500, "rate_accounting": "l2",
                "congestion_control": "cubic", "links": [{"name": "100Mbps", "rate_mbit": 100.0}]},
    "workload": {"model": {"name": "mlp", "hidden": [512, 512]},
                 "dataset": {"name": "digits", "transform": "none"},
                 "batch_per_worker": 32, "max_iterations": 150},
    "targets": {"accuracy": [0.90, 0.95, 0.97]}, "seeds": [1, 2, 3]})");
  for (const auto& method : methods()) {
    const std::string label = method.label;
    const auto name = label == "all-reduce" ? label : label.substr(0, label.find('-'));
    scenario["methods"].push_back({{"name", name}, {"label", label}});
  }
  return scenario;
}

}  // namespace

RunResult example_run() {
  RunResult run;
  run.mode = Mode::kEmulate;
  run.scenario = scenario();
  run.comparison_hash = sha256(compared_part(run.scenario).dump());
  for (const auto& method : methods()) {
    for (const std::int64_t seed : {1, 2, 3}) run.cells.push_back(make_cell(method, seed));
  }
  cell(run, "fp16", 3).targets[2] = {{kAccuracy, 0.97}, {}, {}};
  return run;
}

RunResult example_run_in(Mode mode) {
  auto run = example_run();
  run.mode = mode;
  run.scenario["mode"] = mode;
  if (mode == Mode::kLearn) {
    run.scenario.erase("network");
    for (auto& each : run.cells) each.link = "none";
  } else {
    run.scenario["compose"] = {{"profile", {{"hardware", "a machine"}, {"source", "measured"}}},
                               {"curve", "results/learned"}};
  }
  return run;
}

CellResult& cell(RunResult& run, const std::string& label, std::int64_t seed) {
  for (auto& candidate : run.cells) {
    if (candidate.label == label && candidate.seed == seed) return candidate;
  }
  throw std::out_of_range{label};
}

Report report_of(const RunResult& run) { return build_report({{{{"run/result.json", run}}, run}}); }

}  // namespace pacbench::report
