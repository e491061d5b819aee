#pragma once

#include <memory>

#include "trainer/collectives/backend.h"

namespace pacbench::trainer {

/// Rank 0 of `size` ranks that all hold the same, in this process alone. A sum is `size` times this
/// rank's tensor in its own arithmetic (integers wrap around). A maximum or an OR is this rank's
/// tensor, and a gathered tensor is `size` copies. So a method can be run, and timed, without the
/// other ranks. A call that ranks with equal tensors could not make fails: an all-to-all whose
/// receive counts are not what each rank sends to this one.
std::shared_ptr<Backend> make_identical_ranks(int size);

}  // namespace pacbench::trainer
