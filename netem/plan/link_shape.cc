#include "netem/plan/link_shape.h"

#include <algorithm>
#include <cmath>

namespace pacbench::netem {
namespace {

// tc keeps bursts in whole microseconds, so rounding changes a burst of 10 us by at most a tenth.
constexpr double kLeastBurst_s = 10e-6;
// Without a quantum the kernel takes a tenth of the rate (r2q), which it calls big above 16 Mbit/s.
constexpr std::int64_t kQuantumBytes = 60000;

}  // namespace

LinkShape LinkShape::for_rate(double rate_mbit, const netd::Shaper& shaper,
                              std::int64_t queue_bytes) {
  const auto rate = std::llround(rate_mbit * 1e6 / 8);
  const std::int64_t least_burst = std::llround(static_cast<double>(rate) * kLeastBurst_s);
  return {.rate_bytes_per_s = rate,
          .burst_bytes = std::max(shaper.burst_bytes, least_burst),
          .ceil_burst_bytes = std::max(shaper.ceil_burst_bytes, least_burst),
          .quantum_bytes = kQuantumBytes,
          .queue_bytes = queue_bytes};
}

}  // namespace pacbench::netem
