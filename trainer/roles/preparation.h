#pragma once

#include <cstdint>

#include "trainer/exchange/exchange_engine.h"

namespace pacbench::trainer {

/// The payload of the all-reduces of scheduling_floor_ms(), one number.
inline constexpr std::int64_t kFloorBytes = 4;

/// The median time of 11 all-reduces of kFloorBytes, in ms: the cost of a collective whose bytes
/// take next to no time.
double scheduling_floor_ms(ExchangeEngine& engine);

}  // namespace pacbench::trainer
