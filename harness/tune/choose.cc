#include "harness/tune/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

#include "contract/catalogue/method_entry.h"
#include "contract/result/crossing.h"
#include "contract/scenario/scenario_checks.h"
#include "contract/scenario/target.h"

namespace pacbench::tune {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// The median, of an even number the worse of the two middle values; kNever without values. Smaller
/// `values` are better, and kNever stands for a training that never got one.
double middle(std::vector<double> values) {
  if (values.empty()) return kNever;
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

std::optional<double> there(double value) {
  return value == kNever ? std::nullopt : std::optional{value};
}

/// The cost of an evaluation, better when smaller: the loss, or 1 minus the accuracy; kNever of a
/// program that reports no accuracy.
double cost_of(const EvaluationEvent& evaluation, bool of_loss) {
  if (of_loss) return evaluation.loss;
  return evaluation.accuracy ? 1 - *evaluation.accuracy : kNever;
}

double final_cost(const Tried& tried, bool of_loss) {
  std::vector<double> costs;
  for (const auto& training : tried.trainings) {
    const bool known = training.done && !training.curve.empty();
    costs.push_back(known ? cost_of(training.curve.back(), of_loss) : kNever);
  }
  return middle(std::move(costs));
}

double bytes_until(const Tried& tried, const Target& level) {
  std::vector<double> bytes;
  for (const auto& training : tried.trainings) {
    const auto place = first_crossing(training.curve, level, true);
    bytes.push_back(place && training.done ? static_cast<double>(training.curve[*place].iteration) *
                                                 training.bytes_per_iteration
                                           : kNever);
  }
  return middle(std::move(bytes));
}

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

Chosen choose(const std::vector<Tried>& tried, const std::string& metric, double within) {
  if (tried.empty())
    throw std::invalid_argument{"no setting was tried, so that none can be chosen"};
  const bool of_loss = metric == kLoss;
  std::vector<double> costs, bytes;
  for (const auto& one : tried) costs.push_back(final_cost(one, of_loss));
  const double best = *std::min_element(costs.begin(), costs.end());
  const double good = of_loss ? best * (1 + within) : best + within;
  const Target level{metric, of_loss ? good : 1 - good};
  for (const auto& one : tried) bytes.push_back(bytes_until(one, level));

  Chosen chosen;
  const auto is_better = [&](std::size_t a, std::size_t b) {
    const bool good_a = costs[a] <= good, good_b = costs[b] <= good;
    if (good_a != good_b) return good_a;
    if (good_a && bytes[a] != bytes[b]) return bytes[a] < bytes[b];
    return costs[a] < costs[b];
  };
  for (std::size_t place = 0; place < tried.size(); ++place) {
    const auto cost = there(costs[place]);
    chosen.judged.push_back({cost ? std::optional{of_loss ? *cost : 1 - *cost} : std::nullopt,
                             cost && costs[place] <= good, there(bytes[place])});
    if (is_better(place, chosen.place)) chosen.place = place;
  }
  return chosen;
}

}  // namespace pacbench::tune
