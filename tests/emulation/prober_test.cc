#include "harness/probes/prober.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/emulation/daemon_client.h"

namespace pacbench {
namespace {

using ::testing::IsEmpty;

/// Six workers on three switches; only the links between the switches are slow.
netd::CreateRequest chain(double trunk_mbit) {
  const netd::Direction edge{10000, 0, {}};
  const netd::Direction between{trunk_mbit, 0, {}};
  netd::CreateRequest request;
  for (const int at : {0, 0, 1, 1, 2, 2}) request.workers.push_back({at, edge, edge});
  request.switches = 3;
  request.trunks = {{0, 1, between, between}, {1, 2, between, between}};
  return request;
}

/// Whether the flow got 90 to 103 % of the rate that its trunk allows, in what no disturbance of
/// the machine touched. Where others took much of the machine, TCP had to open its windows again
/// after each pause; then the flow must be one that the probe does not find fault with.
bool got_its_trunk(const record::LinkProbe& probe, const record::ProbedFlow& flow) {
  constexpr double kMuch = 0.05;
  if (probe.machine && probe.machine->taken_share() > kMuch) return !is_off(probe, flow);
  return flow.goodput_mbit > 0.9 * flow.expected_mbit &&
         flow.goodput_mbit < 1.03 * flow.expected_mbit && flow.window_s >= record::kLeastQuiet_s;
}

TEST(Prober, OverAChainEveryFlowIsMeasuredAndGetsItsTrunk) {
  REQUIRE_FABRIC();
  Programs programs;
  programs.daemon = PACBENCH_NETD;
  programs.probe = PACBENCH_LINK_PROBE;
  Meter meter{PACBENCH_LINK_PROBE};
  record::LinkProbe probe;
  // Other work on this machine may delay a probe. Three bad probes in a row are the prober's fault.
  for (int attempt = 0; attempt < 3; ++attempt) {
    probe = probes::probe_links(programs, chain(100), Interrupt{}, &meter);
    if (std::all_of(probe.flows.begin(), probe.flows.end(),
                    [&](const auto& flow) { return got_its_trunk(probe, flow); })) {
      break;
    }
  }
  ASSERT_THAT(probe.failure, IsEmpty());
  ASSERT_EQ(probe.flows.size(), 6U) << "one after another, and all at once, paced";
  for (const auto& flow : probe.flows) {
    EXPECT_TRUE(got_its_trunk(probe, flow))
        << "round " << flow.round << ", to worker " << flow.path.to << ": " << flow.goodput_mbit
        << " of " << flow.expected_mbit << " Mbit/s in " << flow.window_s << " s, offered "
        << flow.offered_mbit << ", " << flow.retransmits << " segments sent again, "
        << flow.attempts << " attempts, spacing " << flow.packet_mbit.value_or(0) << ", best parts "
        << flow.best_mbit.value_or(0) << ", whole " << flow.whole_mbit.value_or(0);
    EXPECT_GT(flow.expected_mbit, 95);
  }
}

}  // namespace
}  // namespace pacbench
