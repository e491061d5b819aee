#pragma once

#include <memory>

#include "trainer/collectives/backend.h"

namespace pacbench::trainer {

/// Rank 0 of `size` ranks that all hold what this one holds, in this process alone: a sum is `size`
/// times the own tensor in its own arithmetic (integers wrap around), a maximum or an OR the own
/// one, a gathered tensor so many copies. So a method can be run, and timed, without the others. A
/// call that ranks which hold the same could not make fails: an all-to-all whose receive counts
/// are not what each of them sends here.
std::shared_ptr<Backend> make_identical_ranks(int size);

}  // namespace pacbench::trainer
