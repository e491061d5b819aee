#pragma once

#include <string>
#include <vector>

#include "harness/programs.h"

namespace pacbench {

/// One thing that a machine has or lacks.
struct Finding {
  std::string what;
  bool ok = false;
  bool needed = false;  ///< without it no run is possible
  std::string found;
  std::string remedy;  ///< how to get it; empty when there is nothing to do
};

/// Looks at everything that runs depend on. Links are tried by making and removing a small
/// fabric in namespaces of its own.
std::vector<Finding> examine_machine(const Programs& programs);

}  // namespace pacbench
