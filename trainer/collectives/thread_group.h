#pragma once

#include <memory>
#include <vector>

#include "trainer/collectives/backend.h"

namespace pacbench {

/// N ranks as threads of one process: the same collectives without a network. Sums are made in
/// rank order. A call that does not match the other ranks' (kind, type, size) fails on all ranks
/// with both descriptions, so that a test finds a wrong order where Gloo would add wrong numbers.
std::vector<std::shared_ptr<Backend>> make_thread_group(int size);

}  // namespace pacbench
