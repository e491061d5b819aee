#include "spec/targets_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace pacbench {
namespace {

std::vector<double> read_target_values(ObjectReader& reader, const char* key) {
  const bool of_loss = std::string_view{key} == kLoss;
  auto values = reader.numbers(key, of_loss ? Range::positive() : Range::ratio());
  if (reader.is_empty_list(key)) reader.complain(key, "expected at least one target");
  std::sort(values.begin(), values.end());
  if (std::adjacent_find(values.begin(), values.end()) != values.end()) {
    reader.complain(key, "the same target stands there twice");
  }
  if (of_loss) std::reverse(values.begin(), values.end());
  return values;
}

/// Targets that all-reduce sets are known when it has been trained to its end.
void check_target_shares(ObjectReader& reader, const Scenario& scenario) {
  const auto& methods = scenario.methods;
  if (std::none_of(methods.begin(), methods.end(),
                   [](const MethodEntry& method) { return method.choice.name == "all-reduce"; })) {
    reader.complain(kOfAllReduce,
                    "found no method \"all-reduce\" in the scenario, of whose final "
                    "accuracy these are shares");
  }
  if (scenario.workload.stop == "targets") {
    reader.complain(kOfAllReduce,
                    "found workload.stop \"targets\", expected \"iterations\": these "
                    "targets are known when all-reduce has come to its end");
  }
}

}  // namespace

void read_targets(ObjectReader& whole, Scenario& scenario) {
  auto reader = whole.object("targets");
  bool is_there = reader.has(kOfAllReduce);
  if (is_there) {
    scenario.target_shares = read_target_values(reader, kOfAllReduce);
    check_target_shares(reader, scenario);
  }
  reader.raw(kOfAllReduce);
  for (const auto* metric : kTargetMetrics) {
    if (!reader.has(metric)) continue;
    is_there = true;
    for (const double value : read_target_values(reader, metric)) {
      scenario.targets.push_back({metric, value});
    }
  }
  const auto accuracies =
      std::count_if(scenario.targets.begin(), scenario.targets.end(),
                    [](const Target& target) { return target.metric == kAccuracy; });
  if (!scenario.target_shares.empty() && accuracies > 0 &&
      accuracies != std::ssize(scenario.target_shares)) {
    reader.complain(kAccuracy, fmt::format("found {} accuracies beside {} shares of all-reduce's; "
                                           "expected one of the two, or, of a run that has ended, "
                                           "what each share came to",
                                           accuracies, scenario.target_shares.size()));
  }
  if (!is_there && whole.raw("targets").is_object()) {
    reader.complain("", "expected \"accuracy\", \"loss\" or \"of_all_reduce\"");
  }
  reader.finish();
}

}  // namespace pacbench
