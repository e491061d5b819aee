#include "analysis/export/mllog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/export/recorded_lines.h"
#include "harness/store/curve.h"

namespace pacbench::exports {
namespace {

constexpr const char* kStart = "INTERVAL_START";
constexpr const char* kEnd = "INTERVAL_END";
constexpr const char* kPoint = "POINT_IN_TIME";

class Log {
 public:
  /// Moves the log's clock forward, never back. The end of training is added after the last
  /// evaluation, although its time may be some ms earlier.
  void at(double training_s) {
    time_ms_ = std::max<std::int64_t>(time_ms_, std::llround(training_s * 1e3));
  }

  void add(const char* type, const char* key, const Json& value = nullptr,
           const Json& metadata = Json::object()) {
    const Json line{{"namespace", ""}, {"time_ms", time_ms_}, {"event_type", type},
                    {"key", key},      {"value", value},      {"metadata", metadata}};
    text_ += ":::MLLOG " + json_text(line) + '\n';
  }

  std::string take() { return std::move(text_); }

 private:
  std::int64_t time_ms_ = 0;
  std::string text_;
};

const DatasetInfo& find_dataset(const ExportedRun& run, const Catalogue& catalogue) {
  if (is_program_alone(run.result.scenario)) {
    throw ConfigError{run.folder + "/result.json",
                      {{"/scenario/workload",
                        "found a program of the user's own, expected a model and a data set, which "
                        "this format must name; export another format"}}};
  }
  const auto name =
      run.result.scenario.at("/workload/dataset/name"_json_pointer).get<std::string>();
  if (const auto* dataset = catalogue.find_dataset(name)) return *dataset;
  throw ConfigError{
      run.folder + "/result.json",
      {{"/scenario/workload/dataset/name",
        fmt::format("found \"{}\", expected a data set that `pacbench list` shows", name)}}};
}

std::int64_t samples_per_iteration(const Json& scenario) {
  return scenario.at("workers").get<std::int64_t>() *
         scenario.at("/workload/batch_per_worker"_json_pointer).get<std::int64_t>();
}

void add_submission(Log& log, const ExportedRun& run) {
  const auto& scenario = run.result.scenario;
  const auto& environment = run.manifest.environment;
  log.add(kPoint, "submission_benchmark", "pacbench_" + run.name());
  log.add(kPoint, "submission_org", "none: this is not a submission");
  log.add(kPoint, "submission_division", "open");
  log.add(kPoint, "submission_platform",
          fmt::format("{} workers; pacbench ran on {}, {} cores", scenario.at("workers").get<int>(),
                      environment.cpu, environment.cores));
  log.add(kPoint, "cache_clear", false);
}

/// Adds the numbers of samples. Those held out for validation come from the training set, and are
/// evaluated in place of the test set.
void add_samples(Log& log, const Json& workload, const DatasetInfo& dataset) {
  const auto held_out = workload.value("validation_samples", std::int64_t{0});
  log.add(kPoint, "train_samples", dataset.train_samples - held_out);
  log.add(kPoint, "eval_samples",
          workload.value("evaluate_samples", held_out > 0 ? held_out : dataset.test_samples));
}

/// Adds the optimiser's name and learning rate. A method's own optimiser options replace the
/// scenario's.
void add_optimizer(Log& log, const Json& scenario, const std::string& label) {
  const auto& workload = scenario.at("workload");
  if (!workload.contains("optimizer")) return;
  auto optimizer = workload.at("optimizer");
  for (const auto& method : scenario.at("methods")) {
    if (method.value("label", "") == label)
      optimizer.update(method.value("optimizer", Json::object()));
  }
  log.add(kPoint, "opt_name", optimizer.at("name"));
  log.add(kPoint, "opt_base_learning_rate", optimizer.at("lr"));
}

void add_setting(Log& log, const ExportedRun& run, const CellResult& cell,
                 const DatasetInfo& dataset) {
  const auto& scenario = run.result.scenario;
  log.add(kPoint, "seed", cell.seed);
  log.add(kPoint, "global_batch_size", samples_per_iteration(scenario));
  add_samples(log, scenario.at("workload"), dataset);
  add_optimizer(log, scenario, cell.label);
  log.add(kPoint, "pacbench_method", cell.label);
  log.add(kPoint, "pacbench_link", cell.link);
  log.add(kPoint, "pacbench_link_verdict", cell.link_verdict.word);
}

/// Adds one block of training up to an evaluation, and that evaluation.
void add_block(Log& log, const EvaluationEvent& evaluation, double from_s,
               std::int64_t samples_before, std::int64_t samples) {
  const Json so_far{{"samples_count", samples}};
  log.at(from_s);
  log.add(kStart, "block_start", nullptr, {{"samples_count", samples_before}});
  log.at(evaluation.training_s);
  log.add(kEnd, "block_stop", nullptr, so_far);
  log.add(kStart, "eval_start", nullptr, so_far);
  if (evaluation.accuracy) log.add(kPoint, "eval_accuracy", *evaluation.accuracy, so_far);
  log.add(kPoint, "pacbench_eval_loss", evaluation.loss, so_far);
  log.add(kEnd, "eval_stop", nullptr, so_far);
}

/// Adds a block for each evaluation after iteration 0, up to `last_iteration` where there is one.
/// Returns the number of samples that had been trained on at the end of the last block.
std::int64_t add_training(Log& log, const std::vector<EvaluationEvent>& curve,
                          const std::optional<std::int64_t>& last_iteration,
                          std::int64_t per_iteration) {
  double from_s = 0;
  std::int64_t samples = 0;
  for (const auto& evaluation : curve) {
    if (evaluation.iteration == 0) continue;
    if (last_iteration && evaluation.iteration > *last_iteration) break;
    const auto now = evaluation.iteration * per_iteration;
    add_block(log, evaluation, from_s, samples, now);
    from_s = evaluation.training_s;
    samples = now;
  }
  return samples;
}

}  // namespace

std::string to_mllog(const ExportedRun& run, const CellResult& cell, const Catalogue& catalogue) {
  require_timed(run, "an MLLOG file needs the times of a training");
  const auto& dataset = find_dataset(run, catalogue);
  if (cell.targets.empty() || !has_curve(run.result.scenario)) {
    throw ConfigError{
        run.folder + "/result.json",
        {{"/scenario/targets",
          "found no target or no learning curve, expected both: this format names a target; "
          "export another format"}}};
  }
  const auto target = cell.targets.back();
  Log log;
  add_submission(log, run);
  log.add(kStart, "init_start");
  add_setting(log, run, cell, dataset);
  const auto key = "pacbench_target_" + target.target.metric;
  log.add(kPoint, key.c_str(), target.target.value);
  log.add(kEnd, "init_stop");
  log.add(kStart, "run_start");
  const auto curve = store::read_curve(run.cell_folder(cell), broken_lines_of(cell));
  const auto samples =
      add_training(log, curve, target.iterations, samples_per_iteration(run.result.scenario));
  log.at(target.tta_s.value_or(cell.training_s));
  log.add(kEnd, "run_stop", nullptr,
          {{"status", target.tta_s ? "success" : "aborted"},
           {"samples_count", samples},
           {"reason",
            target.tta_s ? "reached the target" : word_of(cell.status) + ", target not reached"}});
  return log.take();
}

}  // namespace pacbench::exports
