#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/fabric/netd_protocol.h"
#include "contract/worker/event_kind.h"

namespace pacbench::record {

/// The record of a cell's schedule and loads: the lines of network.jsonl, live or read from the
/// file. Times are CLOCK_MONOTONIC.
class NetworkTrace {
 public:
  /// Counters of a load since its connection began, as pacbench-probe reports them.
  struct LoadSample {
    std::int64_t at_ns = 0;
    std::int64_t bytes = 0;       ///< payload acknowledged
    std::int64_t sent_bytes = 0;  ///< payload, with what was sent again
    std::int64_t segments = 0;
    std::int64_t segments_received = 0;
    std::int64_t retransmits = 0;
  };

  NetworkTrace() = default;
  explicit NetworkTrace(int time_dilation) : time_dilation_{time_dilation} {}

  static Json scheduled_event(const netd::ScheduledReply& reply);
  static Json stepped_event(const netd::SteppedEvent& event);
  /// `line` is a "sent" or "done" of pacbench-probe flow.
  static Json load_event(int load, const Json& line);

  /// Adds an event of the kind scheduled, stepped or load. Throws Json::exception.
  void add(EventKind kind, const Json& event);

  const std::optional<std::int64_t>& schedule_start_ns() const { return schedule_start_ns_; }
  const std::vector<netd::SteppedEvent>& steps() const { return steps_; }
  /// The samples of each load that has begun.
  const std::map<int, std::vector<LoadSample>>& loads() const { return loads_; }

  /// Bytes of a load's frames until a time, interpolated between two samples. Data frames are
  /// counted at the sender's link, and at the receiver's, which sees none that were lost.
  /// Acknowledgements are counted apart.
  struct LoadFrames {
    double data_sent = 0;
    double data_received = 0;
    double acknowledgements = 0;
  };
  LoadFrames frames_at(int load, std::int64_t at_ns) const;

 private:
  int time_dilation_ = 1;
  std::optional<std::int64_t> schedule_start_ns_;
  std::vector<netd::SteppedEvent> steps_;
  std::map<int, std::vector<LoadSample>> loads_;
};

}  // namespace pacbench::record
