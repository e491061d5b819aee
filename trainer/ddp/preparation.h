#pragma once

#include "trainer/ddp/data_parallel.h"
#include "trainer/ddp/replica.h"

namespace pacbench {

/// Gives buckets their final shape with a pass that belongs to no iteration.
void warm_up(DataParallel& data_parallel, Replica& replica);

/// The median of some all-reduces of 4 KiB: what a collective costs before its bytes do.
double scheduling_floor_ms(ExchangeEngine& engine);

}  // namespace pacbench
