#include "harness/tune/choose.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "contract/result/crossing.h"
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

}  // namespace

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
