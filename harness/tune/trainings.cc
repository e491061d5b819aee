#include "harness/tune/trainings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "contract/catalogue/program_method.h"
#include "contract/scenario/tuning_rules.h"

namespace pacbench::tune {
namespace {

std::size_t settings_of(const MethodEntry& method) {
  return std::max<std::size_t>(method.settings.size(), 1);
}

}  // namespace

std::vector<Arm> arms_of(const MethodEntry& method, const std::vector<double>& rates) {
  std::vector<Arm> arms;
  for (std::size_t place = 0; place < settings_of(method); ++place) {
    for (const auto rate : rates) arms.push_back({place, rate});
  }
  return arms;
}

const Choice& choice_of(const MethodEntry& method, const Arm& arm) {
  return method.settings.empty() ? method.choice : method.settings.at(arm.place);
}

std::vector<std::int64_t> seeds_of(const Scenario& scenario, const MethodEntry& method) {
  auto seeds = scenario.tune.value().seeds;
  const auto count = seeds.size() * (most_settings(scenario.methods) / settings_of(method));
  const std::set<std::int64_t> measured(scenario.seeds.begin(), scenario.seeds.end());
  auto next = *std::max_element(seeds.begin(), seeds.end());
  while (seeds.size() < count) {
    if (!measured.contains(++next)) seeds.push_back(next);
  }
  return seeds;
}

Scenario training_scenario(const Scenario& scenario, const MethodEntry& method,
                           const std::vector<double>& rates) {
  const auto& tune = scenario.tune.value();
  Scenario training;
  training.name = fmt::format("{}-tune-{}", scenario.name, method.label);
  training.mode = is_program(method) ? Mode::kEmulate : Mode::kLearn;
  if (is_program(method)) {
    training.program = scenario.program;
    training.network = scenario.network;
    training.network.links.resize(1);
  }
  training.workers = scenario.workers;
  training.device = scenario.device;
  training.timeout_s = scenario.timeout_s;
  training.checkpoint_every = scenario.checkpoint_every;
  training.workload = scenario.workload;
  training.python_folder = scenario.python_folder;
  training.workload.validation_samples = tune.validation_samples;
  training.workload.evaluate_samples = 0;
  training.workload.max_iterations = tune.max_iterations;
  training.workload.evaluate_every = tune.evaluate_every;
  training.workload.stop = "iterations";
  training.targets = scenario.targets;
  training.seeds = seeds_of(scenario, method);
  for (const auto& arm : arms_of(method, rates)) {
    MethodEntry entry;
    entry.label = fmt::format("{}-lr={:g}", arm.place + 1, arm.lr);
    entry.choice = choice_of(method, arm);
    if (is_program(method)) {
      entry.choice.options["environment"]["PACBENCH_VALIDATION_SAMPLES"] =
          fmt::to_string(tune.validation_samples);
    }
    entry.lr = arm.lr;
    training.methods.push_back(std::move(entry));
  }
  return training;
}

}  // namespace pacbench::tune
