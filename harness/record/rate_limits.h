#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/plan/plan.h"

namespace pacbench::record {

/// The most that the links of a cell's workers can carry, so that a larger count is noticed.
class RateLimits {
 public:
  /// Gives every link the same rate in both directions, in bytes a second; 0: there are no links.
  RateLimits(double bytes_per_s = 0);
  RateLimits(const Scenario& scenario, const LinkProfile& link);

  bool any() const { return !links_.empty() || every_ > 0; }

  /// Sets the time from which the schedule's steps count, CLOCK_MONOTONIC.
  void schedule_started(std::int64_t start_ns) { start_ns_ = start_ns; }

  /// The number of steps of the schedule that are due by `until_ns`.
  std::int64_t steps_due(std::int64_t until_ns) const;

  /// The most bytes that the link of one of the scenario's ranks can carry each way between two
  /// times. A step of the schedule may be applied up to kStepToleranceNs late.
  struct Bytes {
    double sent = 0;
    double received = 0;
  };
  Bytes between(int rank, std::int64_t from_ns, std::int64_t to_ns) const;

  static constexpr std::int64_t kStepToleranceNs = 5'000'000;

 private:
  struct OneWay {
    double bytes_per_s = 0;
    bool scheduled = false;
  };
  struct Link {
    OneWay up;
    OneWay down;
  };

  double carried(const OneWay& direction, std::int64_t from_ns, std::int64_t to_ns) const;

  double every_ = 0;
  std::vector<Link> links_;
  netd::ScheduleRequest schedule_;
  std::optional<std::int64_t> start_ns_;
};

}  // namespace pacbench::record
