#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "contract/worker/worker_event.h"
#include "trainer/collectives/backend.h"

namespace pacbench::trainer {

/// Compares the collectives that a method declared for this rank with those in `trace` from `first`
/// on, one by one: operation, payload bytes and sent bytes. Returns the bytes that this rank sends.
/// Throws std::logic_error with both lists when they differ, since all predictions are made from
/// the declared sizes.
std::int64_t require_as_declared(const std::vector<PlannedCollective>& declared,
                                 const BucketTrace& trace, std::size_t first, Backend& backend);

}  // namespace pacbench::trainer
