#include "harness/fidelity/prober.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulation/daemon_client.h"

namespace pacbench {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Field;
using ::testing::Gt;
using ::testing::IsEmpty;

/// Six workers on three switches; only what is between the switches is slow.
netd::CreateRequest chain(double trunk_mbit) {
  const netd::Direction edge{10000, 0, {}};
  const netd::Direction between{trunk_mbit, 0, {}};
  netd::CreateRequest request;
  for (const int at : {0, 0, 1, 1, 2, 2}) request.workers.push_back({at, edge, edge});
  request.switches = 3;
  request.trunks = {{0, 1, between, between}, {1, 2, between, between}};
  return request;
}

TEST(Prober, OverAChainEveryFlowIsMeasuredAndGetsItsTrunk) {
  REQUIRE_FABRIC();
  Programs programs;
  programs.daemon = PACBENCH_NETD;
  programs.probe = PACBENCH_LINK_PROBE;
  const auto probe = fidelity::probe_links(programs, chain(100), Interrupt{});
  ASSERT_THAT(probe.failure, IsEmpty());
  ASSERT_EQ(probe.flows.size(), 6U) << "one after another, and all at once, paced";
  for (const auto& flow : probe.flows) {
    EXPECT_GT(flow.goodput_mbit, 0.9 * flow.expected_mbit) << "to worker " << flow.path.to;
    EXPECT_LT(flow.goodput_mbit, 1.03 * flow.expected_mbit) << "to worker " << flow.path.to;
  }
  EXPECT_THAT(probe.flows, Each(AllOf(Field(&fidelity::ProbedFlow::window_s, Gt(1)),
                                      Field(&fidelity::ProbedFlow::expected_mbit, Gt(95)))));
}

}  // namespace
}  // namespace pacbench
