#include "analysis/reproduce/arms.h"

#include "contract/catalogue/pruning_ratio.h"

namespace pacbench::reproduce {

std::string arm_identity(Json method, bool any_ratio) {
  method.erase("label");
  if (any_ratio) method.erase(kPruningRatio);
  return method.dump();
}

bool is_tuned(const Json& method) { return method.value("tried", 1) > 1; }

}  // namespace pacbench::reproduce
