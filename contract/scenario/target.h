#pragma once

#include <fmt/format.h>

#include <array>
#include <compare>
#include <string>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench {

/// The metrics of targets: test accuracies in (0, 1] to reach, and test losses to fall to.
inline constexpr const char* kAccuracy = "accuracy";
inline constexpr const char* kLoss = "loss";
inline constexpr std::array<const char*, 2> kTargetMetrics{kAccuracy, kLoss};
/// The key that sets accuracies as shares of the final accuracy of all-reduce.
inline constexpr const char* kOfAllReduce = "of_all_reduce";
/// The key that sets losses as the losses of all-reduce after shares of its iterations.
inline constexpr const char* kLossOfAllReduce = "loss_of_all_reduce";

/// An accuracy or loss that a learning curve is to reach.
struct Target {
  std::string metric = kAccuracy;
  double value = 0;

  auto operator<=>(const Target&) const = default;
};

/// Returns the target in words: "97 %", or "loss 1.8".
inline std::string words_of(const Target& target) {
  return target.metric == kLoss ? fmt::format("loss {:.4g}", target.value)
                                : fmt::format("{:.4g} %", 100 * target.value);
}

/// Returns the target as a part of a measurement's name: "0.97", or "loss-1.8".
inline std::string short_name(const Target& target) {
  return target.metric == kLoss ? fmt::format("loss-{}", target.value)
                                : fmt::format("{}", target.value);
}

/// Returns the targets as {"accuracy": [0.9, 0.97], "loss": [1.8]}.
inline Json to_json(const std::vector<Target>& targets) {
  Json node = Json::object();
  for (const auto& target : targets) node[target.metric].push_back(target.value);
  return node;
}

/// Reads what to_json() wrote as the "targets" of a scenario or of a worker's specification. The
/// last target of each metric is the hardest to reach.
inline std::vector<Target> targets_of(const Json& document) {
  std::vector<Target> targets;
  const auto& node = document.at("targets");
  for (const auto* metric : kTargetMetrics) {
    if (!node.contains(metric)) continue;
    for (const double value : node.at(metric)) targets.push_back({metric, value});
  }
  return targets;
}

}  // namespace pacbench
