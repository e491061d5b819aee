#include "harness/reproduce/arms.h"

namespace pacbench::reproduce {

std::optional<double> pruning_ratio(const Json& method) {
  if (!method.contains("pruning_ratio")) return std::nullopt;
  return method.at("pruning_ratio").get<double>();
}

std::string arm_identity(Json method, bool any_ratio) {
  method.erase("label");
  if (any_ratio) method.erase("pruning_ratio");
  return method.dump();
}

bool is_tuned(const Json& method) { return method.value("tried", 1) > 1; }

}  // namespace pacbench::reproduce
