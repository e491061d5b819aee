#include "tests/unit/analysis/reproduce/paper_run.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "contract/scenario/scenario.h"

namespace pacbench::reproduce {
namespace {

MadeArm arm(Json method, double step_s, double megabytes) {
  MadeArm made;
  made.method = std::move(method);
  made.step_s = step_s;
  made.megabytes = megabytes;
  return made;
}

CellResult make_cell(const MadeRun& run, const MadeArm& arm, double rate_mbit, std::int64_t seed) {
  const bool is_learn = run.mode == Mode::kLearn;
  const bool has_curve = run.mode != Mode::kCompose || !run.curve.empty();
  CellResult cell;
  cell.label = arm.method.at("label");
  cell.link = is_learn ? "none" : fmt::format("{:g}", rate_mbit);
  cell.seed = seed;
  cell.iterations = run.max_iterations;
  // Steps are given for 1000 Mbit/s; on slower links they take longer in proportion.
  cell.time_per_iteration_s =
      arm.step_s * (1000 / rate_mbit) * (1 + 0.01 * static_cast<double>(seed - 1));
  cell.training_s = static_cast<double>(run.max_iterations) * cell.time_per_iteration_s;
  cell.compute_s = 0.01;
  cell.wire_s = cell.exposed_s = cell.time_per_iteration_s - cell.compute_s;
  for (const double accuracy : run.targets) {
    TargetResult target;
    target.target = {kAccuracy, accuracy};
    if (arm.iterations && has_curve) {
      target.iterations = arm.iterations;
      target.tta_s = static_cast<double>(*arm.iterations) * cell.time_per_iteration_s;
    }
    cell.targets.push_back(target);
  }
  cell.final_accuracy = cell.best_accuracy = has_curve ? arm.accuracy : 0;
  cell.expected_bytes_per_iteration = cell.measured_bytes_per_iteration = arm.megabytes * 1e6;
  cell.payload_bytes_per_iteration = arm.megabytes * 1e6 / 1.75;
  return cell;
}

Json compose(const MadeRun& run) {
  return {{"profile",
           {{"hardware", "NVIDIA A40"},
            {"source", "assumed"},
            {"assumption", {{"peak_tflops", 37.4}, {"utilisation", run.utilisation}}}}},
          {"curve", run.curve},
          {"iterations", 30}};
}

Json network(const MadeRun& run) {
  Json links = Json::array();
  for (const double rate_mbit : run.rates_mbit) {
    links.push_back({{"name", fmt::format("{:g}", rate_mbit)}, {"rate_mbit", rate_mbit}});
  }
  return {{"topology", run.topology}, {"groups", {3, 2, 3}},           {"mtu", 1500},
          {"rate_accounting", "l2"},  {"congestion_control", "cubic"}, {"links", links}};
}

Json scenario(const MadeRun& run, const std::vector<MadeArm>& arms) {
  Json methods = Json::array();
  for (const auto& arm : arms) methods.push_back(arm.method);
  Json node{{"version", 1},
            {"name", "made"},
            {"mode", run.mode},
            {"workers", run.workers},
            {"workload",
             {{"model", {{"name", run.network}}},
              {"dataset", {{"name", run.dataset}}},
              {"batch_per_worker", 32},
              {"initial", {{"kind", run.start}}},
              {"max_iterations", run.max_iterations}}},
            {"methods", methods},
            {"targets", {{"accuracy", run.targets}}},
            {"seeds", run.seeds}};
  if (run.mode == Mode::kCompose) node["compose"] = compose(run);
  if (run.mode != Mode::kLearn) node["network"] = network(run);
  return node;
}

}  // namespace

MadeArm all_reduce(double step_s, double megabytes) {
  return arm({{"name", "all-reduce"}, {"label", "all-reduce"}}, step_s, megabytes);
}

MadeArm fp16(double step_s, double megabytes) {
  return arm({{"name", "fp16"}, {"label", "fp16"}, {"sum", "ring"}}, step_s, megabytes);
}

MadeArm top_k(double ratio, double step_s, double megabytes) {
  return arm({{"name", "topk"}, {"label", fmt::format("topk-{:g}", ratio)}, {"ratio", ratio}},
             step_s, megabytes);
}

MadeArm masked(double step_s, double megabytes) {
  return arm({{"name", "pactrain"},
              {"label", "pactrain-0.5"},
              {"pruning_ratio", 0.5},
              {"gradient_masking", true},
              {"quantize", "none"},
              {"encoding", "int8"},
              {"error_feedback", false}},
             step_s, megabytes);
}

MadeArm masked_ternary(double step_s, double megabytes, const std::string& encoding) {
  auto made = masked(step_s, megabytes);
  made.method["label"] = "pactrain-0.5-ternary" + (encoding == "int8" ? "" : "-" + encoding);
  made.method["quantize"] = "ternary";
  made.method["encoding"] = encoding;
  return made;
}

MadeArm at_ratio(double ratio, MadeArm arm) {
  arm.method["pruning_ratio"] = ratio;
  arm.method["label"] = fmt::format("pactrain-{:g}", ratio);
  return arm;
}

MadeArm in_iterations(std::optional<std::int64_t> iterations, MadeArm arm) {
  arm.iterations = iterations;
  return arm;
}

MadeArm ending_at(double accuracy, MadeArm arm) {
  arm.accuracy = accuracy;
  return arm;
}

std::vector<MadeArm> figure_5() {
  return {all_reduce(3.4), fp16(1.8), top_k(0.1, 2.6), masked(1.8), masked_ternary(0.6)};
}

MadeRun composed(double utilisation) {
  MadeRun run;
  run.mode = Mode::kCompose;
  run.utilisation = utilisation;
  return run;
}

RunResult made_run(const MadeRun& run, const std::vector<MadeArm>& arms) {
  RunResult result;
  result.mode = run.mode;
  result.scenario = scenario(run, arms);
  result.comparison_hash = sha256(compared_part(result.scenario).dump());
  const auto rates = run.mode == Mode::kLearn ? std::vector<double>{1000} : run.rates_mbit;
  for (const auto& arm : arms) {
    for (const double rate_mbit : rates) {
      for (const auto seed : run.seeds) {
        result.cells.push_back(make_cell(run, arm, rate_mbit, seed));
      }
    }
  }
  return result;
}

std::vector<CellResult*> cells_of(RunResult& run, const std::string& label) {
  std::vector<CellResult*> found;
  for (auto& cell : run.cells) {
    if (cell.label == label) found.push_back(&cell);
  }
  return found;
}

std::vector<store::NamedResult> named(const std::vector<RunResult>& runs) {
  std::vector<store::NamedResult> all;
  for (const auto& run : runs) {
    all.push_back({fmt::format("run{}/result.json", all.size() + 1), run});
  }
  return all;
}

}  // namespace pacbench::reproduce
