#pragma once

#include <memory>

#include "trainer/collectives/backend.h"

namespace pacbench::trainer {

/// Rank 0 of `size` ranks that all hold the same data, without the other ranks. A sum is `size`
/// times this rank's tensor in its own arithmetic (integers wrap around). A maximum or an OR is
/// this rank's tensor, and a gathered tensor is `size` copies. So one process can run and time a
/// method. An all-to-all or send-receive fails when its receive counts differ from what each rank
/// sends to this one: ranks with equal tensors could not make that call.
std::shared_ptr<Backend> make_identical_ranks(int size);

}  // namespace pacbench::trainer
