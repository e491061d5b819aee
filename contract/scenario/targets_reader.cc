#include "contract/scenario/scenario_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace pacbench {
namespace {

/// Reads the targets or shares of one key, and returns them sorted, the hardest to reach last. With
/// `set_by_all_reduce` two values may be equal, since two shares may give the same target.
std::vector<double> read_target_values(ObjectReader& reader, const char* key,
                                       bool set_by_all_reduce = false) {
  const bool of_loss = std::string_view{key} == kLoss;
  auto values = reader.numbers(key, of_loss ? Range::positive() : Range::ratio());
  if (reader.is_empty_list(key)) reader.complain(key, "expected at least one target");
  std::sort(values.begin(), values.end());
  if (!set_by_all_reduce && std::adjacent_find(values.begin(), values.end()) != values.end()) {
    reader.complain(key, "found a target twice, expected each target once");
  }
  if (of_loss) std::reverse(values.begin(), values.end());
  return values;
}

/// Requires that method all-reduce is there and trains to its end. The targets that it sets are
/// known only then.
void check_all_reduce(ObjectReader& reader, const char* key, const Scenario& scenario) {
  const auto& methods = scenario.methods;
  if (std::none_of(methods.begin(), methods.end(),
                   [](const MethodEntry& method) { return method.choice.name == "all-reduce"; })) {
    reader.complain(key,
                    "found no method \"all-reduce\" in the scenario, expected one: its results set "
                    "these targets");
  }
  if (scenario.workload.stop == "targets") {
    reader.complain(key,
                    "found workload.stop \"targets\", expected \"iterations\": these targets are "
                    "known only when all-reduce has ended");
  }
}

/// A list of shares that all-reduce's results turn into targets of a metric. A run that has ended
/// also lists these targets.
struct Shares {
  const char* key;
  const char* metric;
  const char* targets;  ///< in words
  std::vector<double> Scenario::*values;
};
constexpr std::array<Shares, 2> kShares{
    {{kOfAllReduce, kAccuracy, "accuracies", &Scenario::target_shares},
     {kLossOfAllReduce, kLoss, "losses", &Scenario::loss_shares}}};

void check_known(ObjectReader& reader, const Shares& shares, const Scenario& scenario) {
  const auto expected = std::ssize(scenario.*shares.values);
  const auto found =
      std::count_if(scenario.targets.begin(), scenario.targets.end(),
                    [&](const Target& target) { return target.metric == shares.metric; });
  if (expected == 0 || found == 0 || found == expected) return;
  reader.complain(shares.metric,
                  fmt::format("found {} {} beside {} shares of all-reduce's results; expected one "
                              "list alone, or in a run that has ended one value for each share",
                              found, shares.targets, expected));
}

}  // namespace

void read_targets(ObjectReader& whole, Scenario& scenario) {
  auto reader = whole.object("targets");
  bool is_there = false;
  for (const auto& shares : kShares) {
    if (reader.has(shares.key)) {
      is_there = true;
      scenario.*shares.values = read_target_values(reader, shares.key);
      check_all_reduce(reader, shares.key, scenario);
    }
  }
  for (const auto* metric : kTargetMetrics) {
    if (!reader.has(metric)) continue;
    is_there = true;
    const bool set = std::any_of(kShares.begin(), kShares.end(), [&](const Shares& shares) {
      return std::string_view{shares.metric} == metric && !(scenario.*shares.values).empty();
    });
    for (const double value : read_target_values(reader, metric, set)) {
      scenario.targets.push_back({metric, value});
    }
  }
  for (const auto& shares : kShares) check_known(reader, shares, scenario);
  if (!is_there && whole.raw("targets").is_object()) {
    reader.complain("",
                    "expected \"accuracy\", \"loss\", \"of_all_reduce\" or \"loss_of_all_reduce\"");
  }
  reader.finish();
}

}  // namespace pacbench
