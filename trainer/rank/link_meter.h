#pragma once

#include <functional>
#include <string>

#include "base/traffic_counters.h"
#include "contract/worker/worker_event.h"

namespace pacbench::trainer {

/// Reads, without privilege, what a worker's link has carried each way.
class LinkMeter {
 public:
  /// Meters a shaped link by the HTB classes at both ends. The switch's end is read through the
  /// socket and the interface index that the daemon left (contract/worker/worker_spec.h). Throws
  /// std::system_error, or std::runtime_error when the index is missing.
  static LinkMeter of_link(const std::string& interface);

  /// Meters a link whose other end is on another host, by this host's device; all other traffic of
  /// the device is included. Received traffic is counted by the device's counters. Sent traffic is
  /// counted by the HTB class 1:1 where somebody has shaped the device with one, else by the
  /// counters too. Throws std::system_error or std::runtime_error.
  static LinkMeter of_device(const std::string& interface);

  /// Returns the traffic since the last call, or since construction, and with it the segments that
  /// TCP sent again meanwhile in this network namespace.
  LinkTraffic lap();

 private:
  /// One direction, from the worker or to it, and its counters when they were last read.
  struct Way {
    std::function<Traffic()> read;
    Traffic last = read();

    Traffic lap();
  };

  LinkMeter(std::function<Traffic()> read_sent, std::function<Traffic()> read_received)
      : sent_{std::move(read_sent)}, received_{std::move(read_received)} {}

  Way sent_;
  Way received_;
  std::int64_t last_retransmits_ = retransmitted_segments();
};

}  // namespace pacbench::trainer
