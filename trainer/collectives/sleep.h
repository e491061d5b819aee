#pragma once

#include <cstdint>

#include "base/clock.h"

namespace pacbench::trainer {

/// Sleeps until CLOCK_MONOTONIC shows `when_ns` or later, without the timer slack that the kernel
/// may add (50 us by default).
void sleep_until_monotonic(std::int64_t when_ns);

/// The same for an emulated time.
inline void sleep_until(std::int64_t emulated) { sleep_until_monotonic(monotonic_ns(emulated)); }

}  // namespace pacbench::trainer
