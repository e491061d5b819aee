#pragma once

#include <optional>

#include "base/json/json_reader.h"

namespace pacbench {

/// The name of the option for the share that a method prunes: with prunex of each layer's filters
/// or channels, else of the weights. All methods that prune by a share have it.
inline constexpr const char* kPruningRatio = "pruning_ratio";

/// The pruning ratio of a method in a canonical scenario; absent when it has no such option.
inline std::optional<double> pruning_ratio(const Json& method) {
  if (!method.contains(kPruningRatio)) return std::nullopt;
  return method.at(kPruningRatio).get<double>();
}

}  // namespace pacbench
