#pragma once

#include "trainer/exchange/exchange_engine.h"

namespace pacbench::trainer {

/// The median of some all-reduces of 4 KiB: what a collective costs before its bytes do.
double scheduling_floor_ms(ExchangeEngine& engine);

}  // namespace pacbench::trainer
