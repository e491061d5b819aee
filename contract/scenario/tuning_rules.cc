#include "contract/scenario/tuning_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/catalogue/program_method.h"

namespace pacbench {
namespace {

/// Complains of programs that are to get a learning rate and have none.
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

}  // namespace

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

}  // namespace pacbench
