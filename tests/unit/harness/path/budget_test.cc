#include "harness/path/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pacbench::path {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Le;

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

TEST(PathBudget, FlowsAtOnceGetBytesByTheirGoodputsSoThatTheyEndTogether) {
  for (const auto& requests : {flows_at_once(kLimits, kAlone), flows_paced(kLimits, kAlone)}) {
    ASSERT_EQ(requests.size(), 2u);
    EXPECT_EQ(requests[0].direction, Direction::kUp);
    EXPECT_EQ(requests[1].direction, Direction::kDown);
    const auto ratio =
        static_cast<double>(requests[0].bytes) / static_cast<double>(requests[1].bytes);
    EXPECT_NEAR(ratio, 2.5, 1e-3);
  }
}

TEST(PathBudget, PacedFlowsAreHeldBackAndOthersAreNot) {
  EXPECT_DOUBLE_EQ(flows_paced(kLimits, kAlone)[1].rate_mbit, 18);
  EXPECT_EQ(flows_at_once(kLimits, kAlone)[1].rate_mbit, 0);
}

TEST(PathBudget, DatagramsFillFramesAtHalfOfTheGoodput) {
  const auto request = datagrams(kLimits, Direction::kDown, kAlone.down_mbit, kMtu);
  EXPECT_EQ(request.datagram_bytes, 1472);
  EXPECT_DOUBLE_EQ(request.rate_mbit, 10);
}

TEST(PathBudget, WordsAreThoseOfTheProbe) {
  EXPECT_THAT(
      words({"datagrams", Direction::kDown, 1.5, 1000000, 10, 1472}),
      ElementsAre("--traffic", "datagrams", "--sender", "server", "--seconds", "1.500", "--bytes",
                  "1000000", "--rate-mbit", "10.000000", "--datagram-bytes", "1472"));
  EXPECT_THAT(
      words({"flow", Direction::kUp, 2, 5, 0, 0}),
      ElementsAre("--traffic", "flow", "--sender", "client", "--seconds", "2.000", "--bytes", "5"));
}

TEST(PathBudget, LessTimeLeftShortensARequest) {
  EXPECT_DOUBLE_EQ(within({"flow", Direction::kUp, 4, 1, 0, 0}, 1.5).seconds, 1.5);
  EXPECT_DOUBLE_EQ(within({"flow", Direction::kUp, 4, 1, 0, 0}, 9).seconds, 4);
}

}  // namespace
}  // namespace pacbench::path
