#include "tests/unit/harness/reproduce/reproduced.h"

#include "tests/unit/spec/example_catalogue.h"

namespace pacbench::testing {

Reproduction reproduced(const std::vector<report::NamedResult>& runs) {
  return reproduce(runs, example_catalogue());
}

}  // namespace pacbench::testing
