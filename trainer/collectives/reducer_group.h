#pragma once

#include <memory>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "trainer/collectives/backend.h"

namespace pacbench::trainer {

/// A c10d process group over one of our backends. It supports only what Reducer asks of it: a
/// broadcast, when buckets are rebuilt. Gradients go through the hook and never through this group.
c10::intrusive_ptr<c10d::ProcessGroup> reducer_group(std::shared_ptr<Backend> backend);

}  // namespace pacbench::trainer
