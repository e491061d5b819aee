#pragma once

#include <chrono>
#include <cstdint>

namespace pacbench {

/// CLOCK_MONOTONIC in nanoseconds: one time line for all processes of a host, also for those in
/// different network namespaces, so that traces of different ranks can be laid side by side.
inline std::int64_t monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline double seconds(std::int64_t duration_ns) { return static_cast<double>(duration_ns) * 1e-9; }

}  // namespace pacbench
