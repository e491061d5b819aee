#pragma once

#include <string>

#include "base/traffic_counters.h"
#include "contract/worker/worker_event.h"

namespace pacbench::trainer {

/// Reads, without privilege, what both HTB classes of this worker's link have counted.
class LinkMeter {
 public:
  /// `interface`: the worker's shaped device. The switch's end is read through the socket and the
  /// interface index that the daemon left (contract/worker/worker_spec.h). Throws
  /// std::system_error, or std::runtime_error when the index is missing.
  explicit LinkMeter(const std::string& interface);

  /// The difference since the last call.
  LinkTraffic lap();

 private:
  TrafficCounters up_;
  TrafficCounters down_;
  Traffic last_up_;
  Traffic last_down_;
  std::int64_t last_retransmits_ = 0;
};

}  // namespace pacbench::trainer
