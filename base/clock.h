#pragma once

#include <chrono>
#include <cstdint>

namespace pacbench {

/// The time of CLOCK_MONOTONIC in nanoseconds. All processes of a host share this clock, whatever
/// their network namespaces, so times of different ranks can be compared.
inline std::int64_t monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline double seconds(std::int64_t duration_ns) { return static_cast<double>(duration_ns) * 1e-9; }

}  // namespace pacbench
