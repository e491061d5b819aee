#pragma once

#include <cstdint>

#include "contract/fabric/fabric_spec.h"

namespace pacbench::netem {

/// The settings of HTB and its leaf for one direction.
struct LinkShape {
  std::int64_t rate_bytes_per_s = 0;
  std::int64_t burst_bytes = 0;
  std::int64_t ceil_burst_bytes = 0;
  std::int64_t quantum_bytes = 0;
  std::int64_t queue_bytes = 0;  ///< of the bfifo leaf

  /// The settings for a rate. The bursts are those of `shaper`, but last at least ten microseconds:
  /// tc cuts bursts to whole microseconds, which could change a shorter one by over a tenth.
  static LinkShape for_rate(double rate_mbit, const netd::Shaper& shaper, std::int64_t queue_bytes);
};

}  // namespace pacbench::netem
