#pragma once

#include <memory>

#include "trainer/collectives/backend.h"

namespace pacbench::trainer {

/// Rank 0 of `size` ranks that all hold the same data, without the other ranks. So one process can
/// run and time a method. A sum is `size` times this rank's tensor, in the arithmetic of its type
/// (integers wrap). A maximum or an OR is this rank's tensor, and a gathered tensor is `size`
/// copies. An all-to-all fails when a receive count is not the count that this rank sends to
/// itself. A send-receive fails when this rank receives another number of elements than it sends.
/// Ranks with the same data could not make such calls.
std::shared_ptr<Backend> make_identical_ranks(int size);

}  // namespace pacbench::trainer
