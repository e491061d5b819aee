#pragma once

#include <cstdint>
#include <optional>

namespace pacbench {

/// How idle the host's CPUs are, from /proc/stat once a second.
class CpuSampler {
 public:
  /// The share of time since the last sample in which the CPUs were idle (waiting for a disk
  /// included), when a second has passed since then.
  std::optional<double> sample();

 private:
  std::int64_t last_ns_ = 0;
  std::int64_t last_idle_ = 0;
  std::int64_t last_total_ = 0;
};

}  // namespace pacbench
