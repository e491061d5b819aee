#pragma once

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
std::string words_of(const Target& target);

/// Returns the target as a part of a measurement's name: "0.97", or "loss-1.8".
std::string short_name(const Target& target);

/// Returns the targets as {"accuracy": [0.9, 0.97], "loss": [1.8]}.
Json to_json(const std::vector<Target>& targets);

/// Reads what to_json() wrote as the "targets" of a scenario or of a worker's specification. The
/// last target of each metric is the hardest to reach.
std::vector<Target> targets_of(const Json& document);

}  // namespace pacbench
