#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/cpu_times.h"
#include "harness/calibration/result.h"
#include "harness/links/fabric.h"

namespace pacbench::calibration {

/// Watches the CPUs that this process may use and a fabric's counters, from its construction on.
class Watch {
 public:
  explicit Watch(links::Fabric& fabric);

  /// The circumstances since the construction.
  Circumstances circumstances();

 private:
  struct State {
    std::int64_t at_ns = 0;
    CpuTimes cpus;
    std::int64_t pressed_us = 0;  ///< in which some task waited for a CPU
    std::int64_t dropped = 0;
    std::int64_t retransmits = 0;
  };

  State look();

  links::Fabric* fabric_;
  std::vector<int> cpus_;
  State start_;
};

}  // namespace pacbench::calibration
