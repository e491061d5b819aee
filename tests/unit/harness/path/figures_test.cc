#include "harness/path/figures.h"

#include <gtest/gtest.h>

#include "tests/unit/harness/path/measured_path.h"

namespace pacbench::path {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// A flow with a sample every 10 ms, first at one rate, after `change_ms` at another.
links::FlowMeasurement flow(int from_ms, int change_ms, int end_ms, double before_mbit,
                            double after_mbit) {
  links::FlowMeasurement flow;
  double bytes = 0;
  for (int at_ms = from_ms; at_ms <= end_ms; at_ms += 10) {
    flow.samples.push_back({at_ms * kMs, static_cast<std::int64_t>(bytes)});
    bytes += (at_ms < change_ms ? before_mbit : after_mbit) * 1e6 / 8 * 0.01;
  }
  flow.bytes = flow.samples.back().bytes;
  return flow;
}

TEST(PathFigures, TheFirstQuarterOfAFlowDoesNotCount) {
  const auto rate = rate_alone(flow(500, 900, 2500, 5, 40));
  EXPECT_NEAR(rate.goodput_mbit, 40, 0.01);
  EXPECT_NEAR(rate.window_s, 1.5, 1e-9);
}

TEST(PathFigures, AFlowBesideAShorterOneCountsWhileBothAreUnderWay) {
  // The receivers' clocks start at unrelated times.
  const auto shorter = flow(90000, 0, 91000, 20, 20);
  const auto longer = flow(0, 1000, 2000, 10, 30);
  EXPECT_NEAR(rate_beside(longer, shorter).goodput_mbit, 10, 0.01);
  EXPECT_NEAR(rate_beside(shorter, longer).goodput_mbit, 20, 0.01);
}

TEST(PathFigures, GoodputBecomesTheRateOfFramesAtTheMtuOfThePath) {
  EXPECT_NEAR(link_mbit({95.64, 1}, 1500), 100, 0.01);
  EXPECT_NEAR(link_mbit({95.64, 1}, 9000), 96.34, 0.01);
}

TEST(PathFigures, DatagramsAreCountedWithTheirFrames) {
  // 101 datagrams, 1 ms apart.
  const Json line{{"sent", 110},         {"received", 101},    {"duplicates", 0},
                  {"reordered", 3},      {"jitter_us", 250.0}, {"first_ns", 7 * kMs},
                  {"last_ns", 107 * kMs}};
  const auto found = datagrams_from(line, {"datagrams", Direction::kUp, 1, 1, 11.776, 1472});
  EXPECT_NEAR(found.rate_mbit, 1514 * 8e-3, 1e-6);
  EXPECT_NEAR(found.offered_mbit, 1514 * 8e-3, 1e-6);
  EXPECT_NEAR(found.loss().value(), 9.0 / 110, 1e-12);
  EXPECT_EQ(found.reordered, 3);
  EXPECT_NEAR(found.jitter_ms, 0.25, 1e-12);
}

TEST(PathFigures, WhereNoDatagramArrivedLossIsNotKnown) {
  const Json line{{"sent", 10},       {"received", 0}, {"duplicates", 0}, {"reordered", 0},
                  {"jitter_us", 0.0}, {"first_ns", 0}, {"last_ns", 0}};
  const auto found = datagrams_from(line, {"datagrams", Direction::kUp, 1, 1, 10, 1472});
  EXPECT_FALSE(found.loss().has_value());
  EXPECT_EQ(found.rate_mbit, 0);
}

TEST(PathFigures, SharesAreThoseOfTheWayThatKeepsLess) {
  auto measurement = measured_path();
  EXPECT_NEAR(ring_share(measurement).value(), 1, 1e-9);
  measurement.down.both->goodput_mbit *= 0.7;
  measurement.up.paced->goodput_mbit *= 0.8;
  EXPECT_NEAR(ring_share(measurement).value(), 0.7, 1e-9);
  EXPECT_NEAR(paced_share(measurement).value(), 0.8, 1e-9);
  measurement.up.both.reset();
  EXPECT_FALSE(ring_share(measurement).has_value());
}

TEST(PathFigures, LossIsOfBothWaysButNotOfOneThatLetsNothingThrough) {
  auto measurement = measured_path();
  measurement.up.datagrams->received = 980;
  EXPECT_NEAR(loss(measurement).value(), 0.01, 1e-12);
  measurement.down.datagrams->received = 0;
  EXPECT_NEAR(loss(measurement).value(), 0.02, 1e-12);
}

}  // namespace
}  // namespace pacbench::path
