#include "contract/scenario/target.h"

#include <fmt/format.h>

namespace pacbench {

std::string words_of(const Target& target) {
  return target.metric == kLoss ? fmt::format("loss {:.4g}", target.value)
                                : fmt::format("{:.4g} %", 100 * target.value);
}

std::string short_name(const Target& target) {
  return target.metric == kLoss ? fmt::format("loss-{}", target.value)
                                : fmt::format("{}", target.value);
}

Json to_json(const std::vector<Target>& targets) {
  Json node = Json::object();
  for (const auto& target : targets) node[target.metric].push_back(target.value);
  return node;
}

std::vector<Target> targets_of(const Json& document) {
  std::vector<Target> targets;
  const auto& node = document.at("targets");
  for (const auto* metric : kTargetMetrics) {
    if (!node.contains(metric)) continue;
    for (const double value : node.at(metric)) targets.push_back({metric, value});
  }
  return targets;
}

}  // namespace pacbench
