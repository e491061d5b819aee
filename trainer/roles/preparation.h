#pragma once

#include "trainer/exchange/exchange_engine.h"

namespace pacbench::trainer {

/// The median time of 11 all-reduces of 4 KiB, in ms: the cost of a collective whose bytes take
/// next to no time.
double scheduling_floor_ms(ExchangeEngine& engine);

}  // namespace pacbench::trainer
