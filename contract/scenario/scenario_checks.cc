#include "contract/scenario/scenario_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/method_entry.h"
#include "contract/catalogue/python_name.h"

namespace pacbench {
namespace {

std::optional<std::string> why_not_measured(const Scenario& scenario) {
  if (!has_network(scenario)) return "mode learn has no link and measures no time of an exchange";
  if (sleeps(scenario)) {
    return "mode compose takes its curve from another run, which decided by the times that it "
           "measured itself";
  }
  if (!runs_workers(scenario)) return "mode simulate repeats what a profile recorded";
  if (scenario.tune) return "a tuning trains without a link and measures no time of an exchange";
  return std::nullopt;
}

/// Advises what to write instead: the options that decide without measuring, or recorded decisions.
std::string advice(const MethodInfo& method, const OptionSpec& decisions) {
  std::string words;
  for (const auto& option : method.options) {
    for (const auto& value : option.untimed) {
      words += fmt::format("\"{}\": {}, or ", option.name, value.dump());
    }
  }
  return fmt::format("{}decisions in \"{}\" ({})", words, decisions.name, decisions.help);
}

/// The issue of a method that decides by measured time; nothing for other methods.
std::optional<Issue> issue_of(const Choice& choice, const std::string& pointer,
                              const std::string& reason, const Catalogue& catalogue) {
  const auto* method = catalogue.find_method(choice.name);
  const auto* decisions = method == nullptr ? nullptr : decisions_option(*method);
  if (decisions == nullptr) return std::nullopt;
  const auto traits = traits_of(*method, choice_to_json(choice), catalogue.methods);
  if (!traits.depends_on_time) return std::nullopt;
  return Issue{pointer + "/" + decisions->name,
               fmt::format("{} decides by measured times, but {}; expected {}", choice.name, reason,
                           advice(*method, *decisions))};
}

void check_rates_of_programs(const Scenario& scenario, std::vector<Issue>& issues) {
  for (std::size_t i = 0; i < scenario.methods.size(); ++i) {
    const auto& method = scenario.methods[i];
    if (!is_program(method) || method.lr) continue;
    if (method.choice.options.dump().find("{lr}") == std::string::npos) continue;
    issues.push_back({fmt::format("/methods/{}/optimizer", i),
                      "missing, expected {\"lr\": NUMBER} beside {lr}, or a \"tune\" with learning "
                      "rates to try"});
  }
}

void check_untuned(const Scenario& scenario, std::vector<Issue>& issues) {
  for (std::size_t i = 0; i < scenario.methods.size(); ++i) {
    if (scenario.methods[i].settings.empty()) continue;
    issues.push_back({fmt::format("/methods/{}/tune", i),
                      "found settings to try in a scenario without \"tune\"; leave them out, or "
                      "add a \"tune\" with learning rates, seeds and validation samples"});
  }
}

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

bool has_users_task(const Scenario& scenario) {
  return is_users_class(scenario.workload.model.name);
}

}  // namespace

void check_decisions(const Scenario& scenario, const Catalogue& catalogue,
                     std::vector<Issue>& issues) {
  const auto reason = why_not_measured(scenario);
  if (!reason) return;
  const auto check = [&](const Choice& choice, const std::string& pointer) {
    if (const auto issue = issue_of(choice, pointer, *reason, catalogue)) issues.push_back(*issue);
  };
  for (std::size_t i = 0; i < scenario.methods.size(); ++i) {
    const auto& settings = scenario.methods[i].settings;
    if (settings.empty()) check(scenario.methods[i].choice, fmt::format("/methods/{}", i));
    for (std::size_t j = 0; j < settings.size(); ++j) {
      check(settings[j], fmt::format("/methods/{}/tune/{}", i, j));
    }
  }
}

std::size_t most_settings(const std::vector<MethodEntry>& methods) {
  std::size_t most = 1;
  for (const auto& method : methods) most = std::max(most, method.settings.size());
  return most;
}

void check_tuning(const Scenario& scenario, const Catalogue& catalogue,
                  std::vector<Issue>& issues) {
  if (!scenario.tune) {
    check_rates_of_programs(scenario, issues);
    return check_untuned(scenario, issues);
  }
  const auto& tune = *scenario.tune;
  const auto most = most_settings(scenario.methods);
  for (std::size_t i = 0; i < scenario.methods.size(); ++i) {
    const auto count = std::max<std::size_t>(scenario.methods[i].settings.size(), 1);
    if (most % count == 0) continue;
    issues.push_back({fmt::format("/methods/{}/tune", i),
                      fmt::format("found {} settings, expected a divisor of {}, the most that a "
                                  "method has: all methods are to train equally often",
                                  count, most)});
  }
  for (const auto seed : tune.seeds) {
    if (std::count(scenario.seeds.begin(), scenario.seeds.end(), seed) == 0) continue;
    issues.push_back(
        {"/tune/seeds",
         fmt::format(
             "found {}, which is a seed of the scenario too; expected seeds that are not measured",
             seed)});
  }
  const auto* dataset = catalogue.find_dataset(scenario.workload.dataset.name);
  const auto batch = scenario.workload.batch_per_worker * scenario.workers;
  if (dataset != nullptr && dataset->train_samples == 0) {
    issues.push_back({"/tune", fmt::format("found {}, which trains on an iterable, expected data "
                                           "with a length: a tuning judges by samples of it",
                                           dataset->name)});
  } else if (dataset != nullptr && dataset->train_samples - tune.validation_samples < batch) {
    issues.push_back(
        {"/tune/validation_samples",
         fmt::format("found {} of the {} samples of {}, which leaves fewer than the "
                     "{} that the workers take in an iteration",
                     tune.validation_samples, dataset->train_samples, dataset->name, batch)});
  }
}

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

bool runs_python(const Scenario& scenario, const MethodEntry& method) {
  if (is_program(method)) return false;
  const auto choices = choices_of(method);
  return has_users_task(scenario) ||
         std::any_of(choices.begin(), choices.end(), [](const Choice& choice) {
           return !python_names(choice_to_json(choice)).empty();
         });
}

void read_users_classes(ObjectReader& reader, const std::string& source, Scenario& scenario) {
  if (scenario.workload.optimizer.name == kOwnOptimizer && !has_users_task(scenario)) {
    reader.complain_at(
        "workload/optimizer/name",
        "found \"own\" without a task of your own, expected sgd, adam, adamw or lion");
  }
  const auto& methods = scenario.methods;
  const bool any = std::any_of(methods.begin(), methods.end(), [&](const MethodEntry& method) {
    return runs_python(scenario, method);
  });
  if (!any) {
    if (scenario.python_folder.empty()) return;
    reader.complain("python_folder",
                    "found a folder, but no method and no task is a Python class (FILE.py:CLASS)");
    return;
  }
  namespace fs = std::filesystem;
  const auto folder = fs::absolute(source).parent_path() / scenario.python_folder;
  scenario.python_folder = (folder / "").lexically_normal().string();
  const auto refuse = [&](bool is_wrong, const char* key, const std::string& message) {
    if (is_wrong) reader.complain_at(key, message);
  };
  refuse(scenario.device != "cpu", "device",
         "found another device than \"cpu\" beside a Python class, expected \"cpu\"");
  if (!has_users_task(scenario)) return;
  const auto& workload = scenario.workload;
  refuse(workload.initial.kind != "random", "workload/initial/kind",
         fmt::format("found \"{}\" beside a task of your own, expected none: its model() makes the "
                     "weights that training begins with",
                     workload.initial.kind));
}

}  // namespace pacbench
