#pragma once

#include <cstdint>

namespace pacbench::trainer {

/// Sleeps until CLOCK_MONOTONIC shows `when_ns` or later, without the timer slack that the kernel
/// may add (50 us by default).
void sleep_until(std::int64_t when_ns);

}  // namespace pacbench::trainer
