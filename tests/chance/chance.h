#pragma once

#include <gtest/gtest.h>

#include <cstdint>

namespace pacbench {

/// How often all checks of random events together may fail in one run of all tests though nothing
/// is wrong, and the number of such checks that there may be. Each check gets an equal part.
inline constexpr double kFalseAlarmsPerRun = 1e-6;
inline constexpr int kMostChecksPerRun = 50;
inline constexpr double kFalseAlarm = kFalseAlarmsPerRun / kMostChecksPerRun;

/// The least and the most events that pass.
struct EventBounds {
  std::int64_t least = 0;
  std::int64_t most = 0;

  bool contain(std::int64_t events) const { return events >= least && events <= most; }
};

/// The bounds for the number of events in independent `trials`, each of which has one with
/// `probability`, which lies between 0 and 1. They are exact: the binomial distribution puts at
/// most half of `false_alarm` below them, and at most half above.
EventBounds binomial_bounds(std::int64_t trials, double probability,
                            double false_alarm = kFalseAlarm);

/// Fails, naming the bounds, where the number of events is outside of binomial_bounds(). A
/// probability half as high again is caught in 999 of 1000 runs where 400 events are expected.
testing::AssertionResult is_by_chance(std::int64_t events, std::int64_t trials, double probability);

}  // namespace pacbench
