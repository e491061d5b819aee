#include "harness/path/figures.h"

#include <gmock/gmock.h>

#include "tests/unit/harness/path/measured_path.h"

namespace pacbench::path {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

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
  auto line = Json::parse(R"({"sent": 110, "received": 101, "duplicates": 0, "reordered": 3,
                              "jitter_us": 250.0, "first_ns": 7000000, "last_ns": 107000000})");
  const auto found = datagrams_from(line, {"datagrams", Direction::kUp, 1, 1, 11.776, 1472});
  EXPECT_NEAR(found.rate_mbit, 1514 * 8e-3, 1e-6);
  EXPECT_NEAR(found.offered_mbit, 1514 * 8e-3, 1e-6);
  EXPECT_NEAR(found.loss().value(), 9.0 / 110, 1e-12);
  EXPECT_EQ(found.reordered, 3);
  EXPECT_NEAR(found.jitter_ms, 0.25, 1e-12);
  line.update({{"received", 0}, {"first_ns", 0}, {"last_ns", 0}});
  const auto none = datagrams_from(line, {"datagrams", Direction::kUp, 1, 1, 10, 1472});
  EXPECT_FALSE(none.loss().has_value());
  EXPECT_EQ(none.rate_mbit, 0);
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

constexpr Limits kLimits{20, 200};
constexpr Goodputs kAlone{50, 20};
constexpr std::int64_t kMtu = 1500;

/// All parts of a measurement in order. Parts that run at the same time are one entry.
std::vector<std::vector<Request>> all_parts(const Limits& limits) {
  return {{pings(limits)},
          {flow_alone(limits, Direction::kUp)},
          {flow_alone(limits, Direction::kDown)},
          flows_at_once(limits, kAlone),
          flows_paced(limits, kAlone),
          {datagrams(limits, Direction::kUp, kAlone.up_mbit, kMtu)},
          {datagrams(limits, Direction::kDown, kAlone.down_mbit, kMtu)}};
}

TEST(PathBudget, AllPartsTogetherKeepToTheLimits) {
  for (const Limits& limits : {kLimits, Limits{5, 1}, Limits{200, 10000}}) {
    double seconds = 0;
    double bytes = 0;
    for (const auto& part : all_parts(limits)) {
      double longest_s = 0;
      for (const auto& request : part) {
        longest_s = std::max(longest_s, request.seconds);
        bytes += static_cast<double>(request.bytes);
      }
      seconds += longest_s;
    }
    EXPECT_THAT(seconds, AllOf(Ge(0.49 * limits.seconds), Le(limits.seconds)));
    EXPECT_THAT(bytes, AllOf(Ge(0.99e6 * limits.most_mb), Le(1.001e6 * limits.most_mb)));
  }
}

TEST(PathBudget, FlowsAtOnceGetBytesByTheirGoodputsAndPacedOnesAreHeldBack) {
  for (const auto& requests : {flows_at_once(kLimits, kAlone), flows_paced(kLimits, kAlone)}) {
    ASSERT_EQ(requests.size(), 2u);
    EXPECT_EQ(requests[0].direction, Direction::kUp);
    EXPECT_EQ(requests[1].direction, Direction::kDown);
    const auto ratio =
        static_cast<double>(requests[0].bytes) / static_cast<double>(requests[1].bytes);
    EXPECT_NEAR(ratio, 2.5, 1e-3);
  }
  EXPECT_DOUBLE_EQ(flows_paced(kLimits, kAlone)[1].rate_mbit, 18);
  EXPECT_EQ(flows_at_once(kLimits, kAlone)[1].rate_mbit, 0);
}

TEST(PathBudget, DatagramsFillFramesAtHalfOfTheGoodputAndLessTimeLeftShortensARequest) {
  const auto request = datagrams(kLimits, Direction::kDown, kAlone.down_mbit, kMtu);
  EXPECT_EQ(request.datagram_bytes, 1472);
  EXPECT_DOUBLE_EQ(request.rate_mbit, 10);
  EXPECT_DOUBLE_EQ(within({"flow", Direction::kUp, 4, 1, 0, 0}, 1.5).seconds, 1.5);
  EXPECT_DOUBLE_EQ(within({"flow", Direction::kUp, 4, 1, 0, 0}, 9).seconds, 4);
}

}  // namespace
}  // namespace pacbench::path
