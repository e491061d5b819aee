#pragma once

#include <vector>

#include "harness/calibration/subject.h"

namespace pacbench::calibration {

struct Options {
  std::vector<double> rates_mbit{100, 500, 1000};
  Network network;
  int repeat = 9;
  bool quick = false;      ///< fewer repetitions and sizes, shorter flows
  bool all_reduce = true;  ///< also test all-reduces, with pacbench-worker; a chain always does
  bool directions = true;  ///< also test with only one direction shaped

  int repetitions() const;  ///< repeat, or fewer when quick
};

/// One measurement on one network, done `repeat` times; rate steps are one more where `repeat` is
/// odd. A test of a ring, of latency, of rate steps or of an all-reduce of kFloorBytes gives two
/// rows.
struct Test {
  Subject subject;
  int repeat = 1;
  double flow_s = 0;  ///< of flows: how long each one is
};

// The first part of a flow, in which TCP looks for the rate, is left out of its goodput.
inline constexpr double kSettle_s = 0.2;
inline constexpr double kIdle_ms = 60;     ///< before each message
inline constexpr int kWarmUpMessages = 3;  ///< sent first, and not measured
inline constexpr double kStep_s = 0.4;     ///< how long a rate stays in the test of steps

/// The tests of links that run at one rate, network by network: both directions shaped, then only
/// up, then only down.
std::vector<Test> tests(const Options& options, double rate_mbit);

/// About how long a test takes.
double expected_s(const Test& test, const Network& network);

/// About how long a whole calibration takes.
double expected_s(const Options& options);

}  // namespace pacbench::calibration
