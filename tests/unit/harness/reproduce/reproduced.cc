#include "tests/unit/harness/reproduce/reproduced.h"

#include "tests/unit/spec/example_catalogue.h"

namespace pacbench::reproduce {

Reproduction reproduced(const std::vector<report::NamedResult>& runs) {
  return reproduce(runs, testing::example_catalogue());
}

}  // namespace pacbench::reproduce
