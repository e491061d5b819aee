#pragma once

#include <atomic>
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

/// How many times slower than CLOCK_MONOTONIC emulated time runs in this process; set it before
/// anything is measured. Time dilation: Gupta et al., "To infinity and beyond: time-warped network
/// emulation", NSDI 2006. Without dilation both times are the same.
inline std::atomic<int> time_dilation{1};  // NOLINT(*-avoid-non-const-global-variables)

/// The emulated time at a time of CLOCK_MONOTONIC, or the emulated length of a duration. What a run
/// measures and records is in emulated time; time-outs are not.
inline std::int64_t emulated_ns(std::int64_t monotonic) { return monotonic / time_dilation; }
inline std::int64_t emulated_ns() { return emulated_ns(monotonic_ns()); }

/// The time of CLOCK_MONOTONIC at an emulated time.
inline std::int64_t monotonic_ns(std::int64_t emulated) { return emulated * time_dilation; }

}  // namespace pacbench
