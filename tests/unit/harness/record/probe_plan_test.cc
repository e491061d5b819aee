#include "harness/record/probe_plan.h"

#include <gmock/gmock.h>

namespace pacbench::record {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr double kPayload = 1448.0 / 1514;

/// Two switches, two workers on each, a trunk of 100 Mbit/s between links of `edge_mbit`.
netd::CreateRequest two_sites(double edge_mbit = 1000) {
  const netd::Direction edge{edge_mbit, 0, {}};
  const netd::Direction between{100, 0, {}};
  netd::CreateRequest request;
  request.workers = {{0, edge, edge}, {0, edge, edge}, {1, edge, edge}, {1, edge, edge}};
  request.switches = 2;
  request.trunks = {{0, 1, between, between}};
  return request;
}

std::vector<plan::Path> paths_of_round(const std::vector<ProbedFlow>& flows, int round) {
  std::vector<plan::Path> paths;
  for (const auto& flow : flows) {
    if (flow.round == round) paths.push_back(flow.path);
  }
  return paths;
}

MATCHER_P2(Between, from, to, "") { return arg.from == from && arg.to == to; }

TEST(PlannedFlows, GoRoundTheRingAndExpectTheSmallestRateOnTheirWay) {
  const auto flows = planned_flows(two_sites());
  ASSERT_THAT(flows, SizeIs(8)) << "each once more, paced";
  EXPECT_THAT(flows[0].directions, ElementsAre("worker0.up", "worker1.down"));
  EXPECT_DOUBLE_EQ(flows[0].expected_mbit, 1000 * kPayload);
  EXPECT_THAT(flows[1].directions, ElementsAre("worker1.up", "trunk0.forward", "worker2.down"));
  EXPECT_DOUBLE_EQ(flows[1].expected_mbit, 100 * kPayload);
  EXPECT_THAT(flows[3].directions, ElementsAre("worker3.up", "trunk0.backward", "worker0.down"));
  EXPECT_DOUBLE_EQ(bottleneck_mbit(two_sites()), 100);
}

TEST(PlannedFlows, ShareADirectionThatSeveralOfThemCross) {
  auto request = two_sites();
  std::swap(request.workers[1], request.workers[2]);  // ranks no longer in the tree's order
  EXPECT_DOUBLE_EQ(planned_flows(request)[0].expected_mbit, 50 * kPayload);
}

TEST(PlannedFlows, OverImpairedLinksAreDatagramsToo) {
  auto request = netd::star(8, 100);
  request.workers[0].up.impairment = {10, 0, 0, 0};
  request.workers[1].down.impairment = {10, 0, 0.01, 0};
  const auto flows = planned_flows(request);
  ASSERT_THAT(flows, SizeIs(16));
  EXPECT_THAT(paths_of_round(flows, 1), SizeIs(5)) << "of 100 Mbit/s each, 500 in all";
  EXPECT_THAT(paths_of_round(flows, 2), SizeIs(3));
  EXPECT_TRUE(flows[8].datagrams);
  EXPECT_DOUBLE_EQ(flows[8].expected_mbit, 100 * 1472.0 / 1514 * 0.99) << "1 % is lost";
  EXPECT_DOUBLE_EQ(flows[9].expected_mbit, 100 * 1472.0 / 1514);
  EXPECT_DOUBLE_EQ(bottleneck_mbit(request), 100) << "as TCP has it";
}

TEST(PlannedFlows, SayHowPacketsAreSpacedWhereThatIsTheLinksRate) {
  auto request = netd::star(3, 10);
  request.workers[1].down.impairment = {10, 0, 0.2, 0};
  request.workers[2].down.impairment = {10, 3, 0, 0};
  const auto flows = planned_flows(request);
  ASSERT_THAT(flows, SizeIs(6));
  EXPECT_DOUBLE_EQ(flows[0].expected_spacing_mbit, 10 * kPayload);
  EXPECT_DOUBLE_EQ(flows[1].expected_spacing_mbit, 0) << "jitter spaces packets anew";
  EXPECT_DOUBLE_EQ(flows[3].expected_spacing_mbit, 10 * 1472.0 / 1514) << "lost ones counted";
  EXPECT_DOUBLE_EQ(planned_flows(two_sites())[1].expected_spacing_mbit, 0) << "over a trunk";
  for (auto& worker : request.workers) worker.up.rate_mbit = worker.down.rate_mbit = 100;
  EXPECT_DOUBLE_EQ(planned_flows(request)[3].expected_spacing_mbit, 0) << "too close for timers";
}

TEST(PlannedFlows, CountDelayAndJitterOfBothWaysAndLeaveRoomForAcknowledgements) {
  auto request = netd::star(2, 100);
  request.workers[0].up.impairment = {10, 1, 0, 0};
  request.workers[1].up.impairment = {20, 2, 0, 0};
  const auto flow = planned_flows(request).front();
  EXPECT_DOUBLE_EQ(flow.expected_rtt_ms, 30);
  EXPECT_DOUBLE_EQ(flow.rtt_slack_ms, 1 + 3);
  EXPECT_FALSE(is_plain(request));
  EXPECT_TRUE(is_plain(two_sites()));
  EXPECT_EQ(share_beside_acknowledgements(request), 1);
  EXPECT_EQ(share_beside_acknowledgements(netd::star(8, 100)), 1);
  EXPECT_NEAR(share_beside_acknowledgements(netd::star(8, 20)), 1 - 66 / 3028.0, 1e-9)
      << "where each frame is a packet";
}

TEST(PlannedFlows, WhoseAcknowledgementsWouldWaitBehindAnothersDataGoOneAfterTheOther) {
  EXPECT_EQ(rounds(planned_flows(netd::star(8, 100))), 1);
  const auto flows = planned_flows(two_sites());
  EXPECT_EQ(rounds(flows), 3);
  EXPECT_THAT(paths_of_round(flows, 0), ElementsAre(Between(0, 1), Between(1, 2), Between(2, 3)));
  EXPECT_THAT(paths_of_round(flows, 1), ElementsAre(Between(3, 0)));
  // In the end all go at once, just below what their links carry.
  EXPECT_THAT(paths_of_round(flows, 2),
              ElementsAre(Between(0, 1), Between(1, 2), Between(2, 3), Between(3, 0)));
  for (const auto& flow : flows) {
    EXPECT_DOUBLE_EQ(flow.offered_mbit, flow.round < 2 ? 0 : 0.96 * flow.expected_mbit);
  }
}

TEST(PlannedFlows, IntoLinksThatAreSlowerDownThanUpTakeTurns) {
  auto request = netd::star(4, 100);
  for (auto& worker : request.workers) worker.up.rate_mbit = 200;
  const auto flows = planned_flows(request);
  EXPECT_THAT(paths_of_round(flows, 0), ElementsAre(Between(0, 1), Between(2, 3)));
  EXPECT_THAT(paths_of_round(flows, 1), ElementsAre(Between(1, 2), Between(3, 0)));
}

TEST(PlannedFlows, LeaveOutLinksOfASwitchThatAreThereToCarryAnything) {
  auto request = two_sites(10000);
  EXPECT_THAT(paths_of_round(planned_flows(request), 0), SizeIs(1));
  request.workers[1].down.rate_mbit = 500;  // declared for that worker
  const auto flows = planned_flows(request);
  ASSERT_THAT(paths_of_round(flows, rounds(flows) - 1), SizeIs(3));
  EXPECT_DOUBLE_EQ(flows[0].expected_mbit, 500 * kPayload);
}

TEST(PlannedFlows, CrossTrunksThatAreAsFastAsWorkersLinksOfTheDefaultRate) {
  auto request = two_sites(10000);
  request.trunks[0].forward = request.trunks[0].backward = {10000, 0, {5, 0, 0, 0}};
  const auto flows = planned_flows(request);
  EXPECT_THAT(paths_of_round(flows, 0), ElementsAre(Between(1, 2), Between(3, 0)));
  EXPECT_DOUBLE_EQ(flows.front().expected_rtt_ms, 10);
  EXPECT_DOUBLE_EQ(bottleneck_mbit(request), 10000);
}

}  // namespace
}  // namespace pacbench::record
