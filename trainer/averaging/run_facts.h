#pragma once

#include <cstdint>

#include "contract/network/link_facts.h"
#include "contract/scenario/workload.h"

namespace pacbench::trainer {

/// The facts about a run that its method knows when it is made.
struct RunFacts {
  LinkFacts link = {};
  Optimizer optimizer = {};
  std::int64_t max_iterations = 0;
};

}  // namespace pacbench::trainer
