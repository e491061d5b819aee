#include "contract/scenario/scenario_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/catalogue/inner_methods.h"

namespace pacbench {
namespace {

/// Returns the chosen method, or the first method inside it, that is for models with another input;
/// null when all suit the model.
const MethodInfo* for_other_models(const Choice& choice, const ModelInfo& model,
                                   const Catalogue& catalogue) {
  const auto* method = catalogue.find_method(choice.name);
  if (method == nullptr) return nullptr;
  if (!method->input.empty() && method->input != model.input) return method;
  for (const auto& inner : inner_methods(*method, choice.options)) {
    const auto* inside = catalogue.find_method(inner.value("name", ""));
    if (inside != nullptr && !inside->input.empty() && inside->input != model.input) return inside;
  }
  return nullptr;
}

}  // namespace

void check_workload(const Scenario& scenario, const Catalogue& catalogue,
                    std::vector<Issue>& issues) {
  const auto* dataset = catalogue.find_dataset(scenario.workload.dataset.name);
  const auto* before = catalogue.find_dataset(scenario.workload.initial.dataset.name);
  const auto* model = catalogue.find_model(scenario.workload.model.name);
  if (dataset == nullptr) return;
  if (const auto reason = model == nullptr ? "" : misfit(*model, *dataset); !reason.empty()) {
    issues.push_back({"/workload/model/name", reason});
  }
  if (!runs_workers(scenario)) return;  // nothing is trained
  const auto batch = scenario.workload.batch_per_worker * scenario.workers;
  const auto held_out = scenario.workload.validation_samples;
  const auto trained = dataset->train_samples - held_out;
  if (dataset->train_samples == 0) {
    if (held_out > 0) {
      issues.push_back({"/workload/validation_samples",
                        fmt::format("found {} beside {}, which trains on an iterable, expected 0: "
                                    "samples are taken from data with a length alone",
                                    held_out, dataset->name)});
    }
  } else if (held_out > 0 && trained < batch) {
    issues.push_back({"/workload/validation_samples",
                      fmt::format("found {}, which leaves {} samples of {} to train on, but {} "
                                  "workers take {} samples in an iteration",
                                  held_out, std::max<std::int64_t>(trained, 0), dataset->name,
                                  scenario.workers, batch)});
  } else if (batch > trained) {
    issues.push_back(
        {"/workload/batch_per_worker",
         fmt::format("{} workers take {} samples in an iteration, but {} has only {} to train on",
                     scenario.workers, batch, dataset->name, trained)});
  }
  if (held_out > 0 && scenario.workload.evaluate_samples > held_out) {
    issues.push_back({"/workload/evaluate_samples",
                      fmt::format("found {}, expected at most validation_samples, which are {}",
                                  scenario.workload.evaluate_samples, held_out)});
  } else if (held_out == 0 && scenario.workload.evaluate_samples > dataset->test_samples) {
    issues.push_back(
        {"/workload/evaluate_samples",
         fmt::format("found {}, but {} has only {} samples to test on",
                     scenario.workload.evaluate_samples, dataset->name, dataset->test_samples)});
  }
  if (before != nullptr &&
      (before->shape != dataset->shape || before->classes != dataset->classes)) {
    issues.push_back({"/workload/initial/dataset/name",
                      fmt::format("\"{}\" has other images or classes than \"{}\": weights trained "
                                  "on it do not fit",
                                  before->name, dataset->name)});
  }
}

void check_methods(const Scenario& scenario, const Catalogue& catalogue,
                   std::vector<Issue>& issues) {
  const auto* model = catalogue.find_model(scenario.workload.model.name);
  if (model == nullptr) return;
  if (scenario.workload.optimizer.name == kOwnOptimizer) {
    for (std::size_t i = 0; i < scenario.methods.size(); ++i) {
      const auto* method = catalogue.find_method(scenario.methods[i].choice.name);
      if (method == nullptr || !method->owns_step) continue;
      issues.push_back(
          {fmt::format("/methods/{}/name", i),
           fmt::format("found \"{}\", which makes or skips the optimiser's step itself, beside the "
                       "task's own optimiser; expected another method, or the optimizer sgd, adam, "
                       "adamw or lion",
                       method->name)});
    }
  }
  for (std::size_t i = 0; i < scenario.methods.size(); ++i) {
    const auto* method = for_other_models(scenario.methods[i].choice, *model, catalogue);
    for (const auto& setting : scenario.methods[i].settings) {
      if (method == nullptr) method = for_other_models(setting, *model, catalogue);
    }
    if (method == nullptr) continue;
    issues.push_back(
        {fmt::format("/methods/{}/name", i),
         fmt::format("found \"{}\", a method for models of {}, but \"{}\" is a model for {}; "
                     "expected another method, or a model for {}",
                     method->name, method->input, model->name, model->input, method->input)});
  }
}

}  // namespace pacbench
