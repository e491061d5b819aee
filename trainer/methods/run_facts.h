#pragma once

#include <cstdint>

#include "spec/link_facts.h"
#include "spec/workload.h"

namespace pacbench::trainer {

/// What a method may know when it is made of the run that it is for.
struct RunFacts {
  LinkFacts link = {};
  Optimizer optimizer = {};
  std::int64_t max_iterations = 0;
};

}  // namespace pacbench::trainer
